// The languages of the page. English stands where it is used; the catalogue of another language
// is part of the data. Sentences that mstune wrote come as {en, zh}.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

const words = {
  language: data.language,

  // The text with this id, its placeholders filled in their order.
  say(id, english, ...values) {
    const catalogue = this.language === "zh" ? data.words : {};
    let next = 0;
    return (catalogue[id] || english).replace(/\{(\d?)\}/g, (match, number) =>
      values[number === "" ? next++ : Number(number)]);
  },

  // A sentence of mstune's.
  sentence(texts) {
    return texts[this.language] || texts.en;
  },

  // Everything that stands in the page itself.
  fill() {
    document.documentElement.lang = this.language === "zh" ? "zh-CN" : "en";
    for (const element of document.querySelectorAll("[data-words]")) {
      element.dataset.english = element.dataset.english || element.textContent;
      element.textContent = this.say(element.dataset.words, element.dataset.english);
    }
  },
};
