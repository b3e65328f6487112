-- What wrk asks for, and how it reports to the lab. Arguments after `--`: a
-- path in which {id} stands for a random market, or none: then wrk asks for
-- the path of its URL, with a request that it makes once.

local MARKETS = 1000

local threads = 0

-- Runs for each thread before it begins. Threads share nothing else.
function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

function init(arguments)
   local path = arguments[1]
   if not path then return end
   local requests = {}
   for id = 1, MARKETS do
      requests[id] = wrk.format("GET", (path:gsub("{id}", id)))
   end
   -- The same markets in the same order for every subject; another order for
   -- each thread, or all would ask for the same row at once.
   math.randomseed(number)
   request = function() return requests[math.random(MARKETS)] end
end

-- One line of JSON with all that wrk knows. Times in microseconds.
function done(summary, latency)
   local errors = summary.errors
   local fields = {
      { "requests", summary.requests },
      { "duration", summary.duration },
      { "bytes", summary.bytes },
      { "p50", latency:percentile(50) },
      { "p90", latency:percentile(90) },
      { "p95", latency:percentile(95) },
      { "p99", latency:percentile(99) },
      { "p999", latency:percentile(99.9) },
      { "max", latency.max },
      { "connect", errors.connect },
      { "read", errors.read },
      { "write", errors.write },
      { "status", errors.status },
      { "timeout", errors.timeout },
   }
   for i, field in ipairs(fields) do
      fields[i] = string.format('"%s":%.0f', field[1], field[2])
   end
   io.write("{", table.concat(fields, ","), "}\n")
end
