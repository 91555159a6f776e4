"""The Lua scripts. Each checks first and writes last, since Redis does not roll back; only commands of Redis 7.0."""

import hashlib


class Script:
    """A script and the SHA-1 by which the server knows it once it has seen it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.sha = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


class Once(Script):
    """One that does its work once for each name of a call: sent again, it answers what it answered, for a minute.

    The last of KEYS is where that is kept; the pipe adds it.
    """

    def __init__(self, source: str) -> None:
        super().__init__(_ONCE.replace("WORK", source))


_ONCE = """
local kept = redis.call('GET', KEYS[#KEYS])
if kept then return cjson.decode(kept)[1] end
local function work()WORKend
local answer = work()
redis.call('SET', KEYS[#KEYS], cjson.encode({answer}), 'PX', 60000)
return answer
"""

COMMIT = Script("""
-- KEYS: record, log, deadlines, open, channel, leader, guarded, present
-- ARGV: match, version and name expected ('0 ' none), version new, log entry, deadline ('' none), creation ms if listed
--       ('' not),
--       ms to live ('' for ever), notification, name of this commit, the lead that it is made by ('' none is needed),
--       chairs to guard ('' as before, '-' none any more), ms by which it must be here ('' whenever), ms as of which
--       who is there is wanted ('' it is not), then field and value pairs
-- 1: done, or who is there, if that is wanted; 0: somebody was faster; -1: the lead is another's by now; 2: not done,
--    and the log is packed; 3: too late.
local function done()
  return ARGV[13] == '' and 1 or redis.call('ZRANGEBYSCORE', KEYS[8], ARGV[13], '+inf')
end
local last = redis.call('HMGET', KEYS[1], 'version', 'name')
if (last[1] or '0') .. ' ' .. (last[2] or '') ~= ARGV[2] then
  -- The same commit, sent again since its answer was lost?
  local kept = redis.call('LINDEX', KEYS[2], ARGV[3] - 1)
  if kept and string.find(kept, ARGV[9] .. ' ', 1, true) == 1 then return done() end
  if redis.call('HEXISTS', KEYS[1], 'packed') == 1 then return 2 end
  return 0
end
if ARGV[10] ~= '' and redis.call('GET', KEYS[6]) ~= ARGV[10] then return -1 end
if ARGV[12] ~= '' then
  local time = redis.call('TIME')
  if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[12]) then return 3 end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 14))
redis.call('RPUSH', KEYS[2], ARGV[4])
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1]) else redis.call('ZREM', KEYS[3], ARGV[1]) end
if ARGV[6] ~= '' then redis.call('ZADD', KEYS[4], ARGV[6], ARGV[1]) else redis.call('ZREM', KEYS[4], ARGV[1]) end
if ARGV[11] == '-' then redis.call('HDEL', KEYS[7], ARGV[1])
elseif ARGV[11] ~= '' then redis.call('HSET', KEYS[7], ARGV[1], ARGV[11]) end
if ARGV[7] ~= '' then
  redis.call('PEXPIRE', KEYS[1], ARGV[7])
  redis.call('PEXPIRE', KEYS[2], ARGV[7])
end
redis.call('SPUBLISH', KEYS[5], ARGV[8])
return done()
""")

PACK = Script("""
-- KEYS: record, log, deadlines. ARGV: match, version and name, entries that were read, form of the packed log, packed
--       log
-- The packed log is a field of the record, and goes when that goes. What is kept of requests and of illegal actions is
-- dropped: nobody who keeps to docs/retries.md sends one again so late. 0: it is not as it was read, or packed already.
local last = redis.call('HMGET', KEYS[1], 'version', 'name')
if (last[1] or '0') .. ' ' .. (last[2] or '') ~= ARGV[2] then return 0 end
if redis.call('HEXISTS', KEYS[1], 'packed') == 1 or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[3]) then return 0 end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, ':', 1, true) then redis.call('HDEL', KEYS[1], field) end
end
redis.call('HSET', KEYS[1], 'packed', ARGV[4], 'log', ARGV[5])
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
""")

REPAIR = Script("""
-- KEYS: record, index of its shard. ARGV: match, version and name of the record that was read ('0 ' none), value that
--       belongs there ('' none), 'hash' or 'zset', '1' to put it right, '1' if its log was packed
-- 0: it is right; 1: missing; 2: stale; 3: another value; -1: the record has changed, and with it the index.
local last = redis.call('HMGET', KEYS[1], 'version', 'name', 'packed')
if (last[1] or '0') .. ' ' .. (last[2] or '') ~= ARGV[2] then return -1 end
if (last[3] and '1' or '') ~= ARGV[6] then return -1 end  -- to pack the log drops the deadline, and is no change
local hash = ARGV[4] == 'hash'
local kept = redis.call(hash and 'HGET' or 'ZSCORE', KEYS[2], ARGV[1]) or ''
if kept == ARGV[3] then return 0 end
if ARGV[5] == '1' then
  if ARGV[3] == '' then redis.call(hash and 'HDEL' or 'ZREM', KEYS[2], ARGV[1])
  elseif hash then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
  else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
end
return (kept == '' and 1) or (ARGV[3] == '' and 2) or 3
""")

PLACE = Script("""
-- KEYS: a sorted list. ARGV: member, score that it was seen with ('' none), score that it gets ('' none), most members
--       ('' any number), '1' if the list goes when its last member's score, as ms, has passed
-- 0: somebody else has placed it in between.
if (redis.call('ZSCORE', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
if ARGV[4] ~= '' then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[4] - 1) end
if ARGV[5] == '1' then
  local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  redis.call('PEXPIREAT', KEYS[1], math.floor(tonumber(last)) + 1000)
end
return 1
""")

COUNT_ILLEGAL = Once("""
-- KEYS: record. ARGV: field, window
-- Counts the illegal actions of a seat in one window; a new window starts at 1. 0 if the match is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local kept = redis.call('HGET', KEYS[1], ARGV[1])
local count = 0
if kept then
  local window, number = string.match(kept, '^(.*) (%d+)$')
  if window == ARGV[2] then count = tonumber(number) end
end
count = count + 1
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. count)
return count
""")

PRESENT = Script("""
-- KEYS: who is there. ARGV: stream or player, ms until which that is known
-- What is known of others may reach further: the key's life is only ever lengthened.
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local life = ARGV[2] + 1000
if redis.call('PEXPIRETIME', KEYS[1]) < life then redis.call('PEXPIREAT', KEYS[1], life) end
""")

ANNOUNCE = Script("""
-- KEYS: members. ARGV: who, ms
-- Who does not say in time that it is there is no member any more.
-- {the time, whether this one was known, then each member with the time until which it is}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return {now, known and 1 or 0, unpack(redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'))}
""")

LEAD = Script("""
-- KEYS: leader, fence. ARGV: who, the lead that is over ('' there was none)
-- Takes the lead if nobody else has in between: the token, which grows with every change of leader; 0 if somebody has.
local kept = redis.call('GET', KEYS[1]) or ''
if kept ~= ARGV[2] then
  local holder, token = string.match(kept, '^(%S+) (%d+)$')
  return holder == ARGV[1] and tonumber(token) or 0  -- the same call, sent again since its answer was lost
end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. token)
return token
""")

RELEASE = Script("""
-- KEYS: leader. ARGV: lead
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
""")

TAKE = Script("""
-- KEYS: bucket. ARGV: size, refill per second, now ms
-- A token bucket: 0 if one was taken, else the ms until there is one.
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local size, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tokens, at = tonumber(kept[1] or size), tonumber(kept[2] or now)
tokens = math.min(size, tokens + math.max(0, now - at) / 1000 * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / rate * 1000) end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', math.max(now, at))
redis.call('PEXPIRE', KEYS[1], math.ceil(size / rate * 1000) + 1000)
return wait
""")

BOOK = Once("""
-- KEYS: offers, booked. ARGV: now ms, match, game, players already seated (JSON list), bots wanted (JSON list of
--       {level=..} or {player=..})
-- Books a bot for each: all of them, or none. Answers their ids, or the index of the first that cannot be had, from 0.
local now, match, game = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local taken, chosen, lapsed = {}, {}, {}
for _, player in ipairs(cjson.decode(ARGV[4])) do taken[player] = true end
local offers = {}
local kept = redis.call('HGETALL', KEYS[1])
for i = 1, #kept, 2 do
  local offer = cjson.decode(kept[i + 1])
  if offer.expires <= now then
    lapsed[#lapsed + 1] = kept[i]
  elseif not redis.call('ZSCORE', KEYS[2], kept[i] .. '|' .. match) then
    -- One that is booked for this match already, by whomever, is not booked for it twice.
    offer.player = kept[i]
    offer.load = redis.call('ZLEXCOUNT', KEYS[2], '[' .. kept[i] .. '|', '(' .. kept[i] .. '}')
    offers[#offers + 1] = offer
  end
end
table.sort(offers, function(a, b) return a.player < b.player end)
local function plays(offer, want)
  if taken[offer.player] or offer.load >= offer.capacity then return false end
  local levels = offer.games[game]
  if not levels then return false end
  if want.player then return want.player == offer.player end
  for _, level in ipairs(levels) do if level == want.level then return true end end
  return false
end
for index, want in ipairs(cjson.decode(ARGV[5])) do
  local best = nil
  for _, offer in ipairs(offers) do
    if plays(offer, want) and (not best or offer.load < best.load) then best = offer end
  end
  if not best then return index - 1 end
  taken[best.player] = true
  chosen[#chosen + 1] = best.player
end
for _, player in ipairs(lapsed) do redis.call('HDEL', KEYS[1], player) end
for _, player in ipairs(chosen) do redis.call('ZADD', KEYS[2], 0, player .. '|' .. match) end
return chosen
""")

TAKE_TICKET = Once("""
-- KEYS: ticket
return redis.call('GETDEL', KEYS[1])
""")

STREAM = Script("""
-- KEYS: number of the last stream
-- A number above all that were given out before; by the server's time, so that it is above them also when the last one
-- has been lost. In microseconds, and answered as text: it is longer than what a float can show.
local time = redis.call('TIME')
local number = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if number <= last then number = last + 1 end
local text = string.format('%.0f', number)
redis.call('SET', KEYS[1], text)
return text
""")

RENEW = Script("""
-- KEYS: offers. ARGV: player, offer (JSON), name of the stream, now ms
-- Keeps an offer unless a newer stream of the same player has one; names of streams grow with time.
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if kept then
  local offer = cjson.decode(kept)
  if offer.stream > ARGV[3] and offer.expires > tonumber(ARGV[4]) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
""")

WITHDRAW = Script("""
-- KEYS: offers. ARGV: player, name of the stream
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if kept and cjson.decode(kept).stream == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0
""")

DROP = Script("""
-- KEYS: a list of matches. ARGV: match, the score it had when it was looked at
-- Whoever sat down in between has given it another score.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) == tonumber(ARGV[2]) then return redis.call('ZREM', KEYS[1], ARGV[1]) end
return 0
""")

HOST = Script("""
-- KEYS: matches hosted, by when they expire. ARGV: match, now ms, expires at ms, limit
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not known and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
redis.call('PEXPIREAT', KEYS[1], math.floor(tonumber(last)) + 1000)
return 1
""")
