# kernels/rt/place.awk: the search of place.sh. Input: program, function, its place, a line of it, waits for
# that; or program and its cycles. Output: the lines of link.ld.
#
# A way of the shared cache is 1 kB, 64 lines. It replaces at random: where more than four of the lines that a
# call runs meet in a set, it never settles. One function after the other moves to the place where the fewest
# meet, until none can.

# How often a fetch misses in a set where `n` lines meet, about.
function misses(n) {
  return n < 4 ? 0 : n == 4 ? 0.02 : n == 5 ? 0.35 : n == 6 ? 0.6 : 0.8
}

# Adds (1) or removes (-1) the lines of function f at place p; returns what that adds to the price.
function put(f, p, sign, i, at, rise) {
  rise = 0
  for (i = 0; i < count[f]; i++) {
    at = user[f, i] SUBSEP ((p + line[f, i]) % 64)
    rise -= price[user[f, i]] * misses(lines[at]) * fetches[at]
    lines[at] += sign
    fetches[at] += sign * (1 + waits[f, i])
    rise += price[user[f, i]] * misses(lines[at]) * fetches[at]
  }
  return rise
}

function best_place(f, p, best, least, rise) {
  best = place[f]
  least = put(f, best, 1)
  put(f, best, -1)
  for (p = 0; p < 64; p++) {
    rise = put(f, p, 1)
    put(f, p, -1)
    if (rise < least - 1e-9) {
      least = rise
      best = p
    }
  }
  return best
}

NF == 2 {
  price[$1] = 2000 / $2 # of a fetch from L2, in percent of the program
  next
}
{
  f = $2
  if (!(f in count)) {
    name[functions++] = f
    count[f] = 0
  }
  user[f, count[f]] = $1
  size[$1]++
  line[f, count[f]] = $4
  waits[f, count[f]++] = $5
  place[f] = $3
}

# link.ld gives the main tiles and the barrier their places; a program's own main() is where it is; and what
# only small programs run need not have one.
function fixed(f, i) {
  for (i = 0; i < count[f] && size[user[f, i]] < 144; i++)
    ;
  return i == count[f] || f ~ /^(main|rt_barrier|mmt_tile_(s|h|ah)_(nn|nt|tn)_4x[56])$/
}

# Moves function f to where it costs least, or to `p`.
function move(f, p) {
  place[f] = p
  total += put(f, p, 1)
}

END {
  for (i = 0; i < functions; i++) {
    move(name[i], place[name[i]])
    if (!fixed(name[i]))
      movable[free++] = name[i]
  }
  print "percent lost, all programs: " total > "/dev/stderr"
  srand(1)
  for (round = 0; round < 600; round++) { # some are taken out and put back; kept if it is no worse
    old = total
    taken = round < 3 * free ? 1 : 2 + int(5 * rand())
    for (i = 0; i < taken; i++) {
      f = movable[out[i] = taken == 1 ? round % free : int(free * rand())]
      if (!(f in before)) {
        before[f] = place[f]
        total += put(f, place[f], -1)
      } else
        out[i] = -1
    }
    for (i = 0; i < taken; i++)
      if (out[i] >= 0)
        move(movable[out[i]], best_place(movable[out[i]]))
    if (total > old + 1e-9)
      for (f in before) {
        total += put(f, place[f], -1)
        move(f, before[f])
      }
    for (f in before)
      delete before[f]
  }
  print "percent lost, all programs: " total > "/dev/stderr"
  for (p = 0; p < 64; p++)
    for (i = 0; i < free; i++)
      if (place[movable[i]] == p)
        printf "    . += (0x%03x - .) & __way; *(.text.%s)\n", 16 * p, movable[i]
}
