# bench/fronts.awk: rows of bench/fronts.sh as a picture (SVG): accuracy over kilobytes, and over
# thousands of cycles. A step line joins the points that no other one beats in both.
BEGIN {
  FS = "\t"
  width = 360; height = 260; left = 60; top = 40; gap = 70
  colour["layer"] = "#ee7733"; colour["channel"] = "#4477aa"
}

{
  how[NR] = $1; scale[NR] = $2; accuracy[NR] = 100 * $3 / $4
  value[NR, 1] = $5 / 1000; value[NR, 2] = $7 / 1000
}

function least(which, i, m) {
  m = value[1, which]
  for (i = 2; i <= NR; i++) m = value[i, which] < m ? value[i, which] : m
  return m
}

function most(which, i, m) {
  m = value[1, which]
  for (i = 2; i <= NR; i++) m = value[i, which] > m ? value[i, which] : m
  return m
}

function x_of(which, v) {
  return left + (which - 1) * (width + gap) + width * (v - low[which]) / (high[which] - low[which])
}

# What is far below the best is cut.
function y_of(a) { return top + height * (best - (a < floor_a ? floor_a : a)) / (best - floor_a) }

# Points from left to right; the line rises where accuracy does.
function front(which, of, i, k, n, order, t, path, reached) {
  for (i = 1; i <= NR; i++) if (scale[i] == of) order[++n] = i
  for (i = 2; i <= n; i++)
    for (k = i; k > 1 && value[order[k], which] < value[order[k - 1], which]; k--) {
      t = order[k]; order[k] = order[k - 1]; order[k - 1] = t
    }
  reached = -1
  for (i = 1; i <= n; i++) {
    if (accuracy[order[i]] <= reached) continue
    t = sprintf("%.1f", x_of(which, value[order[i], which]))
    path = path (path == "" ? "M" t " " : "H" t "V") sprintf("%.1f", y_of(accuracy[order[i]]))
    reached = accuracy[order[i]]
  }
  printf "<path d='%s' fill='none' stroke='%s'/>\n", path "H" x_of(which, high[which]), colour[of]
}

function axes(which, title, i, v, x) {
  x = left + (which - 1) * (width + gap)
  printf "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#999'/>\n", x, top, width, height
  for (i = 0; i <= 4; i++) {
    v = low[which] + i * (high[which] - low[which]) / 4
    printf "<text x='%.1f' y='%d' text-anchor='middle'>%.0f</text>\n", x_of(which, v), top + height + 16, v
    v = floor_a + i * (best - floor_a) / 4
    printf "<text x='%d' y='%.1f' text-anchor='end'>%.1f</text>\n", x - 6, y_of(v) + 4, v
  }
  printf "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", x + width / 2, top + height + 34, title
}

function mark(which, i, x, y) {
  x = x_of(which, value[i, which]); y = y_of(accuracy[i])
  if (scale[i] == "layer")
    printf "<rect x='%.1f' y='%.1f' width='8' height='8' fill='%s'>", x - 4, y - 4, colour["layer"]
  else
    printf "<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s'>", x, y, colour["channel"]
  printf "<title>%s, a scale a %s: %.2f %%, %.1f kB, %.0f thousand cycles</title></%s>\n", how[i], scale[i],
    accuracy[i], value[i, 1], value[i, 2], scale[i] == "layer" ? "rect" : "circle"
}

END {
  if (!NR) exit 1
  best = 0
  for (i = 1; i <= NR; i++) best = accuracy[i] > best ? accuracy[i] : best
  floor_a = 100
  for (i = 1; i <= NR; i++) floor_a = accuracy[i] < floor_a ? accuracy[i] : floor_a
  if (floor_a < best - 20) floor_a = best - 20
  if (floor_a > best - 1) floor_a = best - 1
  for (which = 1; which <= 2; which++) {
    low[which] = least(which); high[which] = most(which)
    edge = (high[which] - low[which]) * 0.06 + 1
    low[which] -= edge; high[which] += edge
  }
  printf "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n",
    left + 2 * width + gap + 20, top + height + 50
  print "<rect width='100%' height='100%' fill='white'/>"
  printf "<text x='%d' y='22' font-size='14'>%s: accuracy (%%); a scale a <tspan fill='%s'>layer</tspan>, ", left,
    name, colour["layer"]
  printf "a <tspan fill='%s'>channel</tspan></text>\n", colour["channel"]
  axes(1, "kilobytes of weights and parameters"); axes(2, "thousand cycles")
  for (which = 1; which <= 2; which++) {
    front(which, "layer"); front(which, "channel")
    for (i = 1; i <= NR; i++) mark(which, i)
  }
  print "</svg>"
}
