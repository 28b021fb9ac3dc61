"""What must be one step on a server of Redis: Lua, for version 5 and later."""

from __future__ import annotations

PUT_FLOOR = """
-- KEYS: floors, names. ARGV: name, generation, milliseconds, channel, news, prefix of trips.
local name, generation = ARGV[1], tonumber(ARGV[2])
if tonumber(redis.call('HGET', KEYS[1], name) or 0) >= generation then return 0 end
-- The trips first: to delete is allowed on a full server, too.
local names = {}
if name == '*' then names = redis.call('SMEMBERS', KEYS[2])
elseif name ~= 'generation' then names = {name} end
for _, one in ipairs(names) do
  local held = redis.call('GET', ARGV[6] .. one)
  if held and tonumber(string.match(held, '^%d+') or 0) < generation then
    redis.call('DEL', ARGV[6] .. one)
    redis.call('SREM', KEYS[2], one)
  end
end
redis.call('HSET', KEYS[1], name, ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if name ~= 'generation' then
  if tonumber(redis.call('HGET', KEYS[1], 'generation') or 0) < generation then
    redis.call('HSET', KEYS[1], 'generation', ARGV[2])
  end
  redis.call('PUBLISH', ARGV[4], ARGV[5])
end
return 1
"""
"""Raises the number of a reset, ends the trips that it makes void, and tells of it."""

PUT_TRIP = """
-- KEYS: floors, names, trip. ARGV: name, generation, milliseconds, channel, news.
local generation = tonumber(ARGV[2])
local all = tonumber(redis.call('HGET', KEYS[1], '*') or 0)
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if generation < all or generation < own then return 0 end
local held = redis.call('GET', KEYS[3])
if held and tonumber(string.match(held, '^%d+') or 0) >= generation then return 0 end
redis.call('SET', KEYS[3], ARGV[2] .. ' ' .. ARGV[5], 'PX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
"""
"""Stores a trip unless it is void or known, and tells of it."""

READ = """
-- KEYS: floors, names. ARGV: prefix of trips.
local trips = {}
for _, one in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local held = redis.call('GET', ARGV[1] .. one)
  if held then trips[#trips + 1] = held else redis.call('SREM', KEYS[2], one) end
end
return {redis.call('HGETALL', KEYS[1]), trips}
"""
"""Returns all, and forgets the names of trips that have expired."""

MARK = """
-- KEYS: mark. ARGV: value, the only value it may replace, milliseconds.
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[2] then return held end
if tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
else redis.call('DEL', KEYS[1]) end
return ARGV[1]
"""
"""Sets a mark unless another one holds."""
