-- What wrk asks for and how it reports. Arguments after `--`: the path, in which %d stands for the id of a market.
--
-- One line at the end, its fields separated by tabs: answers, microseconds, latency at 50, 90 and 99 of a hundred
-- (microseconds), then what makes a run invalid: answers of 400 and above, errors of sockets, and answers that took
-- longer than 2 s (wrk's --timeout).

local MARKETS = 1000

function init(args)
   local path = args[1]
   if not path:find("%d", 1, true) then
      wrk.path = path -- from which wrk makes its request, once
      return
   end
   local requests = {}
   for id = 1, MARKETS do requests[id] = wrk.format("GET", path:format(id)) end
   -- The same markets in the same order for everybody.
   math.randomseed(1)
   request = function() return requests[math.random(MARKETS)] end
end

function done(summary, latency)
   local errors = summary.errors
   local sockets = errors.connect + errors.read + errors.write
   io.write(string.format("result\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n",
      summary.requests, summary.duration,
      latency:percentile(50), latency:percentile(90), latency:percentile(99),
      errors.status, sockets, errors.timeout))
end
