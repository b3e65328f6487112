// Opens the pages of the lab in a browser, as people would: in light and dark, narrow and wide, and on paper.
//
//   node check.mjs LIST EMPTY_LIST      two addresses; CHROMIUM, PLAYWRIGHT (its node_modules) and OUT are set
//
// Called by the test that serves the pages, which .ci/parts/report calls. Pictures go to OUT, for people to look at.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";

const { chromium } = createRequire(process.env.PLAYWRIGHT + "/")("playwright-core");
const [list, empty] = process.argv.slice(2);
const out = process.env.OUT;
const SCHEMES = ["light", "dark"];
const WIDTHS = [390, 834, 1280];

// Each page with the fewest plots that it must show.
const PAGES = [
  ["fixture", list + "runs/fixture/", 29],
  ["one-level", list + "runs/one-level/", 5],
  ["others", list + "runs/others/", 10],
  ["without-valid-runs", list + "runs/without-valid-runs/", 0],
  ["alone", list + "runs/alone/", 1],
  ["list", list, 0],
  ["empty", empty, 0],
];

const faults = [];

// What is wrong with a page, seen from inside.
function look(fewestPlots) {
  const wrong = [];
  const text = (element) => element.textContent.trim().slice(0, 50);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("body *")].filter(
      (e) => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 0.5,
    );
    wrong.push(`the page scrolls sideways: ${wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" | ")}`);
  }

  const shown = (e) => e.checkVisibility();
  const plots = [...document.querySelectorAll("svg.plot")].filter(shown);
  if (plots.length < fewestPlots) wrong.push(`${plots.length} plots and not ${fewestPlots}`);
  for (const figure of [...document.querySelectorAll("figure")].filter(shown)) {
    const count = [...figure.querySelectorAll("svg.plot")].filter(shown).length;
    if (count !== 1) wrong.push(`${count} plots in ${text(figure)}`);
  }
  for (const plot of plots) {
    const name = plot.querySelector("title")?.textContent ?? "a plot without a name";
    if (plot.getAttribute("role") !== "img" || !plot.querySelector("desc")) wrong.push(`${name}: not described`);
    const box = plot.getBoundingClientRect();
    if (box.width < 250 || box.height < 150) wrong.push(`${name}: ${box.width} x ${box.height}`);
    const words = [...plot.querySelectorAll("text")].map((e) => [e, e.getBoundingClientRect()]);
    for (const [word, at] of words) {
      if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1)
        wrong.push(`${name}: "${text(word)}" is cut off`);
      const size = parseFloat(getComputedStyle(word).fontSize) * (box.width / plot.viewBox.baseVal.width);
      if (size < 10.5) wrong.push(`${name}: text of ${size.toFixed(1)} px`);
    }
    words.forEach(([word, a], i) => {
      for (const [other, b] of words.slice(i + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;
        if (!apart) wrong.push(`${name}: "${text(word)}" is over "${text(other)}"`);
      }
    });
  }

  // Contrast by WCAG 2: 4.5 for text, 3 for large text and for what a plot is made of.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour).slice(0, 3).map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const seen = new Set();
  const compare = (what, colour, back, needed) => {
    const key = `${colour} on ${back}`;
    const ratio = contrast(colour, back);
    if (ratio < needed && !seen.has(key)) wrong.push(`${what}: ${key} has a contrast of ${ratio.toFixed(2)}`);
    seen.add(key);
  };
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!own || !shown(e) || e.closest("title, desc")) continue;
    const style = getComputedStyle(e);
    const large = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.66 : 24);
    compare(text(e), e.closest("svg") ? style.fill : style.color, ground(e), large ? 3 : 4.5);
  }
  for (const e of document.querySelectorAll("svg.plot polyline, svg.plot circle, svg.plot rect")) {
    const style = getComputedStyle(e);
    const colour = style.stroke === "none" ? style.fill : style.stroke;
    const grid = getComputedStyle(document.documentElement).getPropertyValue("--grid").trim();
    const faint = Number(style.opacity) < 1 || rgba(colour).join() === rgba(grid).join();
    if (shown(e) && !faint) compare("a plot", colour, ground(e), 3);
  }
  return wrong;
}

async function visit(browser, name, address, plots, scheme, width) {
  const where = `${name}, ${scheme}, ${width} px`;
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`${where}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${where}: ${error}`));
  page.on("requestfailed", (request) => faults.push(`${where}: failed: ${request.url()}`));
  page.on("request", (request) => {
    if (request.url() !== address && request.url() !== "data:,") faults.push(`${where}: asks for ${request.url()}`);
  });
  await page.goto(address, { waitUntil: "load" });
  await page.screenshot({ path: `${out}/${name}-${scheme}-${width}.png`, fullPage: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  for (const wrong of await page.evaluate(look, plots)) faults.push(`${where}: ${wrong}`);
  if (width === 1280) await print(page, name, scheme, where);
  await context.close();
}

// On paper all is light, nothing is wider than the sheet, and no plot is missing.
async function print(page, name, scheme, where) {
  await page.emulateMedia({ media: "print", colorScheme: scheme });
  await page.setViewportSize({ width: 718, height: 1000 });
  const paper = await page.evaluate(() => ({
    back: getComputedStyle(document.body).backgroundColor,
    wide: document.documentElement.scrollWidth > innerWidth,
    figures: document.querySelectorAll("figure").length,
    plots: [...document.querySelectorAll("svg.plot")].filter((e) => e.checkVisibility()).length,
  }));
  if (paper.back !== "rgb(253, 253, 251)" && paper.back !== "rgb(255, 255, 255)")
    faults.push(`${where}: printed on ${paper.back}`);
  if (paper.wide) faults.push(`${where}: wider than paper`);
  if (paper.plots !== paper.figures) faults.push(`${where}: ${paper.plots} plots of ${paper.figures} on paper`);
  await page.screenshot({ path: `${out}/${name}-${scheme}-paper.png`, fullPage: true });
  const pdf = await page.pdf({ path: `${out}/${name}-${scheme}.pdf`, format: "A4", preferCSSPageSize: true });
  if (pdf.length < 5_000 || pdf.subarray(0, 5).toString() !== "%PDF-") faults.push(`${where}: does not print`);
}

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // A container has no namespaces for the sandbox to use; the pages are our own.
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
for (const [name, address, plots] of PAGES)
  for (const scheme of SCHEMES)
    for (const width of WIDTHS) await visit(browser, name, address, plots, scheme, width);
await browser.close();

console.log(`${PAGES.length} pages, in ${SCHEMES.join(" and ")}, at ${WIDTHS.join(", ")} px: pictures in ${out}`);
for (const fault of faults) console.error(`  ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
