// Fills the page: the answer, the tables, the charts; again when the language or the colours change.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  function element(tag, text, ...classes) {
    const made = document.createElement(tag);
    made.textContent = text;
    made.classList.add(...classes.filter(Boolean));
    return made;
  }

  const figure = (value, digits = 3) => (value === null ? "–" : value.toFixed(digits));
  const inMilliseconds = (us) => (us === null ? "–" : (us / 1000).toFixed(3));

  // heads: [{text, kind}], rows: arrays of texts or of {text, tone}. kind: "figure" or "text".
  function fillTable(table, heads, rows) {
    table.replaceChildren();
    const head = table.createTHead().insertRow();
    for (const { text, kind } of heads) {
      head.append(element("th", text, kind === "figure" && "figure"));
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((cell, at) => {
        const { text, tone } = typeof cell === "object" ? cell : { text: cell };
        line.append(element("td", text, heads[at].kind, tone));
      });
    }
  }

  const toneOf = { improvement: "good", proven: "good", likely: "good", regression: "bad", slower: "bad" };

  function wordOf(word) {
    return word === null ? "–" : words.say(`word.${word}`, word);
  }

  function fillRanking() {
    const heads = [
      { text: words.say("table.candidate", "candidate") },
      { text: words.say("page.head_valid", "valid"), kind: "figure" },
      { text: words.say("page.head_steps", "steps"), kind: "figure" },
      { text: words.say("page.head_mean", "mean (ms)"), kind: "figure" },
      { text: words.say("page.head_median", "median (ms)"), kind: "figure" },
      { text: "P90 (ms)", kind: "figure" },
      { text: "CV", kind: "figure" },
      { text: words.say("page.head_speedup", "speedup"), kind: "figure" },
      { text: words.say("page.head_interval", "95 % interval"), kind: "figure" },
      { text: words.say("page.head_verdict", "verdict") },
      { text: words.say("page.head_evidence", "evidence") },
    ];
    fillTable(byId("ranking-table"), heads, data.candidates.map((each) => [
      each.name, `${each.valid_trials}/${each.trials}`, String(each.steps),
      inMilliseconds(each.mean_us), inMilliseconds(each.median_us), inMilliseconds(each.p90_us),
      figure(each.cv), figure(each.speedup),
      each.speedup_low === null ? "–" : `${figure(each.speedup_low)} – ${figure(each.speedup_high)}`,
      { text: wordOf(each.verdict), tone: toneOf[each.verdict] },
      each.vetoed ? { text: wordOf("other_result"), tone: "bad" } :
        { text: wordOf(each.evidence), tone: toneOf[each.evidence] },
    ]));
  }

  function fillVoid() {
    const rows = data.trials.filter((trial) => !trial.valid).map((trial) => [
      String(trial.index), trial.candidate, String(trial.round),
      trial.reasons.map((reason) => words.sentence(reason)).join("; "),
    ]);
    byId("void-section").hidden = rows.length === 0;
    fillTable(byId("void-table"), [
      { text: words.say("page.head_trial", "trial"), kind: "figure" },
      { text: words.say("table.candidate", "candidate") },
      { text: words.say("page.head_round", "round"), kind: "figure" },
      { text: words.say("page.head_reason", "reason"), kind: "text" },
    ], rows);
  }

  const beforeAndAfter = (pair) =>
    pair.map((value) => (value === null ? "–" : String(value))).join(" → ");

  function fillTrials() {
    const devices = data.trials.some((trial) => trial.device);
    const purposes = {
      control: words.say("page.control", "control"), confirm: words.say("page.confirm", "confirm"),
    };
    const heads = [
      { text: words.say("page.head_trial", "trial"), kind: "figure" },
      { text: words.say("table.candidate", "candidate") },
      { text: words.say("page.head_round", "round"), kind: "figure" },
      { text: words.say("page.head_steps", "steps"), kind: "figure" },
      { text: words.say("page.head_median", "median (ms)"), kind: "figure" },
      { text: words.say("page.head_wall", "seconds"), kind: "figure" },
      { text: words.say("page.head_counts", "counts") },
      { text: words.say("page.head_notes", "notes"), kind: "text" },
    ];
    const meters = data.trials.some((trial) => trial.temperature_c.some((each) => each !== null));
    if (meters) {
      heads.splice(6, 0, { text: "°C", kind: "figure" }, { text: "MHz", kind: "figure" });
    }
    if (devices) {
      heads.splice(3, 0, { text: words.say("page.head_device", "device") });
    }
    fillTable(byId("trials-table"), heads, data.trials.map((trial) => {
      const row = [
        String(trial.index),
        trial.purpose === "measure" ? trial.candidate :
          `${trial.candidate} (${purposes[trial.purpose]})`,
        String(trial.round), String(trial.steps), inMilliseconds(trial.median_us),
        figure(trial.wall_seconds, 1),
        trial.valid ? words.say("page.yes", "yes") : { text: words.say("page.no", "no"), tone: "bad" },
        trial.warnings.map((each) => words.sentence(each)).join("; "),  // reasons: see fillVoid
      ];
      if (meters) {
        row.splice(6, 0, beforeAndAfter(trial.temperature_c), beforeAndAfter(trial.clock_mhz));
      }
      if (devices) {
        row.splice(3, 0, trial.device || "–");
      }
      return row;
    }));
  }

  function shown(value) {
    if (value === null || value === "") {
      return "–";
    }
    if (Array.isArray(value) && value.every((item) => typeof item !== "object")) {
      return value.join(", ");
    }
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  function fillSettings() {
    const rows = Object.entries(data.settings).flatMap(([key, value]) =>
      (key === "versions" ? Object.entries(value) : [[key, value]]));
    fillTable(byId("settings-table"), [
      { text: words.say("page.head_setting", "setting") },
      { text: words.say("page.head_value", "value"), kind: "text" },
    ], rows.map(([key, value]) => [key, shown(value)]));
  }

  function fillAnswer() {
    byId("answer").replaceChildren(...data.recommendation.map((each) => element("p", words.sentence(each))));
    byId("commands-section").hidden = data.production.length === 0;
    byId("commands").replaceChildren(...data.production.map((each) => element("pre", words.sentence(each))));
  }

  function fill() {
    words.fill();
    const title = words.say("page.title", "Multi-stream tuning");
    document.title = `${title}: ${data.run}`;
    byId("title").textContent = title;
    byId("subtitle").textContent = `${data.run} · ${data.software}`;
    byId("language").textContent = words.language === "zh" ? "English" : "中文";
    fillAnswer();
    fillRanking();
    fillVoid();
    fillTrials();
    fillSettings();
    charts.drawAll();
  }

  byId("language").addEventListener("click", () => {
    words.language = words.language === "zh" ? "en" : "zh";
    fill();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", charts.drawAll);
  fill();
})();
