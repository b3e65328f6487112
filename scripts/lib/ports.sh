# shellcheck shell=bash disable=SC2034
# Free ports, and small HTTP requests without curl. Sourced after ui.sh.

# port_taken PORT: does anything on this machine listen on it, on whatever address?
# Read from the kernel's tables rather than tried with a connection: that disturbs nobody, and cannot hang on a
# listener that does not accept. By grep and not by bash, which reads them byte by byte: after a load test there are
# thousands of lines of closed connections, and that took half a minute.
port_taken() {
  local hex
  printf -v hex '%04X' "$1"
  grep -qsE "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F]+:[0-9A-F]{4} 0A " /proc/net/tcp /proc/net/tcp6 # 0A is LISTEN
}

# free_port FIRST [RESERVED...]: the first port from FIRST on that nobody listens on and that is not reserved.
free_port() {
  local port reserved
  for ((port = $1; port < $1 + 1000 && port < 65536; port++)); do
    for reserved in "${@:2}"; do
      ((port != reserved)) || continue 2
    done
    port_taken "$port" && continue
    printf '%d\n' "$port"
    return
  done
  die "No free port from $1 on."
}

# http METHOD PORT PATH ANSWER [BODY [HEADER...]]: one request over loopback. The body of the answer goes to the file
# ANSWER, its head to ANSWER.head, its status to HTTP_STATUS (000: no answer within HTTP_TIMEOUT seconds).
# HTTP/1.0, because then an answer is never chunked and ends with the connection.
http() {
  local method=$1 port=$2 path=$3 answer=$4 body=${5-} text
  local -a head=("$method $path HTTP/1.0" "Host: 127.0.0.1:$port")
  HTTP_STATUS=000
  (($# < 5)) || head+=("Content-Type: application/json" "Content-Length: $(LC_ALL=C && printf '%d' "${#body}")")
  (($# < 6)) || head+=("${@:6}")
  printf -v text '%s\r\n' "${head[@]}"
  : >"$answer"
  : >"$answer.head"
  # A process of its own, so that the time limit also covers a server that accepts and then says nothing.
  # shellcheck disable=SC2016 # expanded by the inner shell
  timeout "${HTTP_TIMEOUT:-10}" bash -c '
    exec 3<>"/dev/tcp/127.0.0.1/$1" && printf %s "$2" >&3 && cat <&3' \
    http "$port" "$text"$'\r\n'"$body" >"$answer.raw" 2>/dev/null || return 1
  split_answer "$answer.raw" "$answer"
  rm -f "$answer.raw"
  [[ $HTTP_STATUS != 000 ]]
}

# split_answer RAW ANSWER: the head up to the empty line, then the body byte for byte.
split_answer() {
  local line
  {
    IFS= read -r line || return 1
    [[ $line =~ ^HTTP/1\.[01]\ ([0-9]{3}) ]] && HTTP_STATUS=${BASH_REMATCH[1]}
    while printf '%s\n' "${line%$'\r'}" >&3 && IFS= read -r line && [[ $line != $'\r' ]]; do :; done
    cat
  } <"$1" >"$2" 3>"$2.head"
}

# header FILE NAME: the value of one header of an answer's head.
header() {
  local line
  while IFS= read -r line; do
    if [[ ${line,,} == "${2,,}:"* ]]; then
      line=${line#*:}
      printf '%s\n' "${line# }"
      return
    fi
  done <"$1.head"
  return 1
}
