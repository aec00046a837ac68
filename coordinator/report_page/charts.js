// The charts. Each function makes the configuration of one from the data; draw() puts it on the page
// in place of the one before, because colours and words change while the page is open.
"use strict";

const charts = (() => {
  const kWorthwhile = 1.05;
  const drawn = new Map();

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function colourOf(candidate) {
    const names = {
      LoadBalance: "--load-balance", MainStream: "--main-stream",
      WeightedLoadBalance: "--weighted", cv: "--cv",
    };
    return colour(names[candidate.split(":")[0]] || "--default");
  }

  // "#1f6feb" with an opacity.
  const faint = (hex, opacity) => hex + Math.round(opacity * 255).toString(16).padStart(2, "0");

  function scale(title, more = {}) {
    return {
      title: { display: true, text: title, color: colour("--quiet") },
      ticks: { color: colour("--quiet"), ...more.ticks },
      grid: { color: colour("--rule"), borderColor: colour("--rule"), ...more.grid },
      ...Object.fromEntries(Object.entries(more).filter(([key]) => !["ticks", "grid"].includes(key))),
    };
  }

  // Dashed lines across the chart: options.lines = [{axis, at, label}].
  const ruler = {
    id: "ruler",
    beforeDatasetsDraw(chart, _, options) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.setLineDash([4, 4]);
      ctx.strokeStyle = colour("--quiet");
      ctx.fillStyle = colour("--quiet");
      ctx.font = "11px sans-serif";
      for (const line of options.lines || []) {
        const at = scales[line.axis].getPixelForValue(line.at);
        const across = line.axis === "x";
        if (across ? at < area.left || at > area.right : at < area.top || at > area.bottom) {
          continue;
        }
        ctx.beginPath();
        ctx.moveTo(across ? at : area.left, across ? area.top : at);
        ctx.lineTo(across ? at : area.right, across ? area.bottom : at);
        ctx.stroke();
        if (line.label) {
          ctx.fillText(line.label, at + 3, area.top + 10);
        }
      }
      ctx.restore();
    },
  };

  // Strokes on the points of a dataset: point.low to point.high along an axis.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart, _, options) {
      const axis = options.axis || "y";
      const { ctx, scales } = chart;
      chart.data.datasets.forEach((dataset, number) => {
        chart.getDatasetMeta(number).data.forEach((element, at) => {
          const point = dataset.data[at];
          if (point === null || point.low === undefined || point.low === null) {
            return;
          }
          const [low, high] = [point.low, point.high].map((v) => scales[axis].getPixelForValue(v));
          const { left, top, right, bottom } = chart.chartArea;
          ctx.save();
          ctx.beginPath();
          ctx.rect(left, top, right - left, bottom - top);
          ctx.clip();
          ctx.strokeStyle = element.options.borderColor;
          ctx.lineWidth = dataset.stroke || 2;
          ctx.beginPath();
          ctx.moveTo(axis === "x" ? low : element.x, axis === "x" ? element.y : low);
          ctx.lineTo(axis === "x" ? high : element.x, axis === "x" ? element.y : high);
          ctx.stroke();
          ctx.restore();
        });
      });
    },
  };

  // An axis that shows speedups with their intervals, and 1 and what is worth it in any case.
  function speedupScale(candidates) {
    const values = candidates.flatMap((each) => [each.speedup, each.speedup_low, each.speedup_high])
      .filter((value) => value !== null);
    const [low, high] = [Math.min(0.98, ...values), Math.max(1.07, ...values)];
    const margin = (high - low) * 0.03;
    return scale(words.say("page.axis_speedup", "speedup over default"),
      { min: low - margin, max: high + margin, ticks: { includeBounds: false, callback: (value) => value.toFixed(2) } });
  }

  const milliseconds = (us) => us / 1000;

  function tooltip(label) {
    return { callbacks: { title: () => "", label: (item) => label(item.raw) } };
  }

  // Candidates from top to bottom, as the ranking has them.
  function rows(names) {
    return scale("", {
      title: { display: false },
      reverse: true, min: -0.6, max: names.length - 0.4, afterBuildTicks: (axis) => {
        axis.ticks = names.map((_, value) => ({ value }));
      },
      ticks: { callback: (value) => names[value] || "", autoSkip: false },
      grid: { drawOnChartArea: false },
    });
  }

  function ranking() {
    const known = data.candidates.filter((candidate) => candidate.speedup !== null);
    const points = known.map((candidate, at) => ({
      x: candidate.speedup, y: at, low: candidate.speedup_low, high: candidate.speedup_high, candidate,
    }));
    return {
      rows: known.length,
      type: "scatter",
      data: { datasets: [{
        data: points, stroke: 5, pointRadius: 5,
        borderColor: known.map((each) => faint(colourOf(each.name), 0.45)),
        backgroundColor: known.map((each) => colourOf(each.name)),
      }] },
      options: {
        scales: {
          x: speedupScale(known),
          y: rows(known.map((candidate) => candidate.name)),
        },
        plugins: {
          ruler: { lines: [{ axis: "x", at: 1 }, { axis: "x", at: kWorthwhile }] },
          whiskers: { axis: "x" },
          tooltip: tooltip(({ candidate }) => `${candidate.name}: ${candidate.speedup.toFixed(3)}` +
            (candidate.speedup_low === null ? "" :
              ` (${candidate.speedup_low.toFixed(3)} – ${candidate.speedup_high.toFixed(3)})`)),
        },
      },
    };
  }

  // Each candidate has a band, each of its runs a row in it.
  function distribution() {
    const names = data.candidates.map((candidate) => candidate.name);
    const datasets = [];
    for (const [at, name] of names.entries()) {
      const runs = data.trials.filter((trial) => trial.candidate === name && trial.points.length > 0);
      runs.forEach((run, number) => {
        const y = at + (runs.length === 1 ? 0 : (number / (runs.length - 1) - 0.5) * 0.7);
        const half = Math.min(0.3, 0.3 / runs.length);
        datasets.push({
          data: run.points.map(([, cost]) => ({ x: milliseconds(cost), y, run })),
          pointRadius: 2, borderWidth: 0, backgroundColor: faint(colourOf(name), 0.35),
        });
        datasets.push({
          data: [{ x: milliseconds(run.median_us), y, low: y - half, high: y + half, run }],
          stroke: 2.5, pointRadius: 0, borderColor: colourOf(name),
        });
      });
    }
    return {
      rows: names.length * 2,
      type: "scatter",
      data: { datasets },
      options: {
        scales: { x: scale(words.say("page.axis_cost", "step cost (ms)")), y: rows(names) },
        plugins: {
          whiskers: { axis: "y" },
          tooltip: tooltip(({ x, run }) => `${run.candidate} ` +
            words.say("page.in_round", "round {}: {} ms", run.round, x.toFixed(3))),
        },
      },
    };
  }

  function roundLines() {
    const first = new Map();
    for (const trial of data.trials) {
      if (trial.start_s !== null && trial.purpose !== "confirm") {
        const known = first.get(trial.round);
        first.set(trial.round, known === undefined ? trial.start_s : Math.min(known, trial.start_s));
      }
    }
    return [...first].map(([round, at]) => ({ axis: "x", at, label: String(round) }));
  }

  function time() {
    const runs = data.trials.filter((trial) => trial.start_s !== null && trial.points.length > 0);
    const datasets = runs.map((run) => ({
      data: run.points.map(([at, cost]) => ({ x: at, y: milliseconds(cost), run })),
      pointRadius: 1.5, borderWidth: 0, backgroundColor: faint(colourOf(run.candidate), 0.5),
    }));
    // A line for each device: their costs have nothing in common.
    for (const device of new Set(runs.map((run) => run.device))) {
      datasets.push({
        data: runs.filter((run) => run.candidate === "default" && run.device === device)
          .map((run) => ({ x: run.start_s, y: milliseconds(run.median_us), run }))
          .sort((left, right) => left.x - right.x),
        showLine: true, pointRadius: 4, borderWidth: 2,
        borderColor: colour("--default"), backgroundColor: colour("--default"),
      });
    }
    return {
      rows: 12,
      type: "scatter",
      data: { datasets },
      options: {
        scales: {
          x: scale(words.say("page.axis_time", "seconds since the first step")),
          y: scale(words.say("page.axis_cost", "step cost (ms)")),
        },
        plugins: {
          ruler: { lines: roundLines() },
          tooltip: tooltip(({ y, run }) => `${run.candidate} ` +
            words.say("page.in_round", "round {}: {} ms", run.round, y.toFixed(3))),
        },
      },
    };
  }

  function streams() {
    const known = data.candidates.filter((each) => each.streams > 0 && each.speedup !== null);
    const strategies = [...new Set(known.map((each) => each.name.split(":")[0]))];
    // Side by side where several strategies have the same number of streams.
    const aside = (number) => 1.03 ** (number - (strategies.length - 1) / 2);
    const datasets = strategies.map((strategy, number) => ({
      label: strategy, showLine: true, borderWidth: 2, pointRadius: 4, tension: 0,
      borderColor: colourOf(strategy), backgroundColor: colourOf(strategy),
      data: known.filter((each) => each.name.split(":")[0] === strategy)
        .sort((left, right) => left.streams - right.streams)
        .map((each) => ({
          x: each.streams * aside(number), y: each.speedup, low: each.speedup_low, high: each.speedup_high,
          candidate: each,
        })),
    }));
    const counts = [...new Set(known.map((each) => each.streams))].sort((a, b) => a - b);
    return {
      rows: known.length === 0 ? 0 : 10,
      type: "scatter",
      data: { datasets },
      options: {
        scales: {
          x: scale(words.say("page.axis_streams", "streams"), {
            type: "logarithmic",
            min: counts[0] / 1.2, max: counts[counts.length - 1] * 1.2,
            afterBuildTicks: (axis) => { axis.ticks = counts.map((value) => ({ value })); },
            ticks: { callback: (value) => String(value) },
          }),
          y: speedupScale(known),
        },
        plugins: {
          legend: { display: true, labels: { color: colour("--ink") } },
          ruler: { lines: [{ axis: "y", at: 1 }, { axis: "y", at: kWorthwhile }] },
          tooltip: tooltip(({ candidate }) => `${candidate.name}: ${candidate.speedup.toFixed(3)}`),
        },
      },
    };
  }

  function devices() {
    const names = [...new Set(data.trials.map((trial) => trial.device).filter(Boolean))].sort();
    const ranked = data.candidates.map((candidate) => candidate.name);
    const middle = (values) => {
      const sorted = [...values].sort((a, b) => a - b);
      const at = sorted.length / 2;
      return sorted.length % 2 === 1 ? sorted[Math.floor(at)] : (sorted[at - 1] + sorted[at]) / 2;
    };
    const tints = ["--load-balance", "--main-stream", "--weighted", "--cv", "--default", "--bad"];
    const datasets = names.map((device, number) => ({
      label: device, backgroundColor: colour(tints[number % tints.length]),
      data: ranked.map((name) => {
        const medians = data.trials
          .filter((each) => each.device === device && each.candidate === name && each.valid)
          .map((each) => milliseconds(each.median_us));
        return medians.length === 0 ? null : middle(medians);
      }),
    }));
    return {
      rows: names.length < 2 ? 0 : ranked.length * Math.max(1, names.length / 2),
      type: "bar",
      data: { labels: ranked, datasets },
      options: {
        indexAxis: "y",
        scales: {
          x: scale(words.say("page.axis_median", "median step cost (ms)")),
          y: scale("", { title: { display: false }, ticks: { autoSkip: false } }),
        },
        plugins: { legend: { display: true, labels: { color: colour("--ink") } } },
      },
    };
  }

  const makers = { ranking, distribution, time, streams, devices };

  // Draws the chart, or hides its section when there is nothing in it.
  function draw(name) {
    const canvas = document.getElementById(`${name}-chart`);
    const made = makers[name]();
    const section = document.getElementById(`${name}-section`);
    if (section !== null) {
      section.hidden = made.rows === 0;
    }
    canvas.parentElement.hidden = made.rows === 0;
    if (drawn.has(name)) {
      drawn.get(name).destroy();
      drawn.delete(name);
    }
    if (made.rows === 0) {
      return;
    }
    canvas.parentElement.style.height = `${Math.max(12, 4 + made.rows * 1.7)}rem`;
    const { plugins, ...options } = made.options;
    drawn.set(name, new Chart(canvas, {
      type: made.type,
      data: made.data,
      plugins: [ruler, whiskers],
      options: {
        ...options,
        animation: false, maintainAspectRatio: false, responsive: true,
        plugins: { legend: { display: false }, ...plugins },
      },
    }));
  }

  return { drawAll: () => Object.keys(makers).forEach(draw) };
})();
