# shellcheck shell=bash disable=SC2034
# Loads, figures and marks, for scripts/bench. Sourced after the other parts.
#
# Every figure is a line of RESULTS: section, round, who, what, value. A mark is made from those lines alone, so that
# whoever doubts one can make it again.

WARM_UP=1 # seconds, before each run

# record SECTION ROUND WHO WHAT VALUE
record() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$RESULTS"
}

# ---- Loads

# load SECTION ROUND NAME CONNECTIONS PATH: warms up, then puts load on a server that was started, and records its rate
# and its latencies, in microseconds. In PATH, %d stands for random markets.
load() {
  local section=$1 round=$2 name=$3 connections=$4 path=$5
  local word answers micros p50 p90 p99 statuses sockets timeouts
  wrk_at "${PORT[$name]}" "$connections" "$WARM_UP" "$path"
  wrk_at "${PORT[$name]}" "$connections" "$SECONDS_EACH" "$path"
  IFS=$'\t' read -r word answers micros p50 p90 p99 statuses sockets timeouts \
    < <(grep '^result' "$STATE/wrk.out") || true
  [[ ${word-} == result ]] || die "wrk gave no figures for $name." "It said: $(<"$STATE/wrk.out")"
  if ((statuses + sockets + timeouts > 0)); then
    invalid "$section, round $round, $name: of $answers answers $statuses were of 400 and above, and there were" \
      "$sockets socket errors and $timeouts that took more than 2 s"
  fi
  record "$section" "$round" "$name" rate "$(per_second "$answers" "$micros")"
  record "$section" "$round" "$name" p50 "$p50"
  record "$section" "$round" "$name" p90 "$p90"
  record "$section" "$round" "$name" p99 "$p99"
  spend $((WARM_UP + SECONDS_EACH)) "$section, round $round of $ROUNDS: $name, $connections connections" \
    "$(per_second "$answers" "$micros")/s, p99 $(in_ms "$p99")"
}

# wrk_at PORT CONNECTIONS SECONDS PATH
wrk_at() {
  attended wrk --threads 1 --connections "$2" --duration "$3" --latency --script "$ROOT/scripts/lib/load.lua" \
    "http://127.0.0.1:$1" -- "$4" >"$STATE/wrk.out" 2>&1 || die 'wrk failed.' "It said: $(<"$STATE/wrk.out")"
}

# load_pgbench SECTION ROUND: the book's statement without a service, from where the services are.
load_pgbench() {
  local section=$1 round=$2 rate
  pgbench_for "$WARM_UP"
  pgbench_for "$SECONDS_EACH"
  rate=$(sed -n 's/^tps = \([0-9]*\).*/\1/p' "$STATE/pgbench.out")
  [[ -n $rate ]] || die 'pgbench gave no figure.' "It said: $(<"$STATE/pgbench.out")"
  record "$section" "$round" pgbench rate "$rate"
  spend $((WARM_UP + SECONDS_EACH)) "$section, round $round of $ROUNDS: pgbench, $POOL connections" "$rate/s"
}

pgbench_for() {
  attended taskset -c "$SERVER_CPU" "$POSTGRES_BIN/pgbench" --no-vacuum --protocol prepared --client "$POOL" \
    --jobs 1 --time "$1" --file "$STATE/book.pgbench" "$(postgres_url "$DATABASE")" >"$STATE/pgbench.out" 2>&1 ||
    die 'pgbench failed.' "It said: $(<"$STATE/pgbench.out")"
}

# in_turn ROUND NAME...: the names, backwards in every other round, so that nobody always goes first.
in_turn() {
  local round=$1 name turned=''
  shift
  for name in "$@"; do
    if ((round % 2)); then turned+=" $name"; else turned="$name $turned"; fi
  done
  printf '%s\n' "$turned"
}

# ---- Progress

SECONDS_LEFT=0 # what is planned and not done

# spend SECONDS WHAT RESULT: a run is done.
spend() {
  SECONDS_LEFT=$((SECONDS_LEFT > $1 ? SECONDS_LEFT - $1 : 0))
  printf '      %s%s:%s %s %s(%s left)%s\n' "$DIM" "$2" "$PLAIN" "$3" "$DIM" "$(duration "$SECONDS_LEFT")" "$PLAIN"
}

INVALID=()

# invalid WHAT...: a run whose figures say nothing. The bench goes on, and fails at its end.
invalid() {
  INVALID+=("$*")
  warn "invalid: $*"
}

# ---- Figures

per_second() { awk -v count="$1" -v micros="$2" 'BEGIN { printf "%d", count * 1e6 / micros }'; }
in_ms() { awk -v micros="$1" 'BEGIN { printf "%.2f ms", micros / 1000 }'; }

# values SECTION WHO WHAT: the value of each round, a line each, in the order of the rounds.
values() {
  awk -F '\t' -v section="$1" -v who="$2" -v what="$3" \
    '$1 == section && $3 == who && $4 == what { print $2 "\t" $5 }' "$RESULTS" | sort -n | cut -f 2
}

# ratios SECTION WHO OTHER WHAT: round by round, since what disturbs a round disturbs both.
# OTHER may be several, as one word: then it is the best of them in each round.
ratios() {
  awk -F '\t' -v section="$1" -v who="$2" -v others=" $3 " -v what="$4" '
    $1 == section && $4 == what && $3 == who { mine[$2] = $5 }
    $1 == section && $4 == what && index(others, " " $3 " ") && $5 > best[$2] { best[$2] = $5 }
    END { for (round in mine) if (best[round] > 0) printf "%.4f\n", mine[round] / best[round] }' "$RESULTS"
}

# spread: of the values on stdin, the median, the lowest and the highest.
spread() {
  sort -g | awk '{ value[NR] = $1 }
    END {
      if (NR == 0) exit
      median = NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
      print median, value[1], value[NR]
    }'
}

# ---- Marks

MARKS=() # WHAT, MEDIAN, LOW, HIGH, MARK, VERDICT, a tab between

# mark WHAT RELATION LIMIT [UNIT] <VALUES: RELATION is at-least, at-most, or none for a figure without a mark.
mark() {
  local what=$1 relation=$2 limit=$3 unit=${4-} median low high text='' verdict=''
  read -r median low high < <(spread) || true
  if [[ -z ${median-} ]]; then
    MARKS+=("$what"$'\t-\t-\t-\t'"$relation $limit"$'\tnot measured')
    return
  fi
  case $relation in
    at-least) text="≥ $limit" ;;
    at-most) text="≤ $limit" ;;
  esac
  [[ -z $text ]] || verdict=$(judge "$relation" "$median" "$limit")
  MARKS+=("$what"$'\t'"$(short "$median")"$'\t'"$(short "$low")"$'\t'"$(short "$high")"$'\t'"${text:-}${text:+${unit:+ $unit}}"$'\t'"$verdict")
}

judge() {
  awk -v relation="$1" -v value="$2" -v limit="$3" 'BEGIN {
    held = (relation == "at-least") ? (value + 0 >= limit + 0) : (value + 0 <= limit + 0)
    print held ? "held" : "missed"
  }'
}

# Two digits after the point for ratios and small numbers; none for rates.
short() { awk -v value="$1" 'BEGIN { form = (value >= 100) ? "%.0f" : "%.2f"; printf form, value }'; }

# show_marks: the one table.
show_marks() {
  local row what median low high limit verdict colour
  local format='  %-58s %9s %9s %9s  %-12s %s%s%s\n'
  # shellcheck disable=SC2059 # the format is ours
  printf "$format" '' median lowest highest mark '' '' ''
  for row in "${MARKS[@]}"; do
    IFS='|' read -r what median low high limit verdict <<<"${row//$'\t'/|}"
    case $verdict in
      held) colour=$GREEN ;;
      '') colour='' ;;
      *) colour=$RED ;;
    esac
    # Padded by characters: printf counts bytes.
    limit=$limit$(printf '%*s' "$((12 - ${#limit}))" '')
    # shellcheck disable=SC2059
    printf "$format" "$what" "$median" "$low" "$high" "$limit" "$colour" "$verdict" "$PLAIN"
  done
}
