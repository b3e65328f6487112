// Opens every page of the guide's site in a browser, from the disk: in light and dark, narrow and wide.
//
//   node check.mjs SITE      its folder; CHROMIUM, PLAYWRIGHT (its node_modules) and OUT are set
//
// Called by .ci/parts/guide. Pictures go to OUT, for people to look at.
import { createRequire } from "node:module";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { chromium } = createRequire(process.env.PLAYWRIGHT + "/")("playwright-core");
const site = resolve(process.argv[2]);
const out = process.env.OUT;
const SCHEMES = ["light", "dark"];
const WIDTHS = [390, 1280, 1900];
// Made by mdBook beside the chapters: no page that a reader comes to.
const NO_CHAPTER = ["404.html", "print.html", "toc.html"];

const faults = [];
const pages = readdirSync(site).filter((name) => name.endsWith(".html") && !NO_CHAPTER.includes(name));

// What is wrong with a page, seen from inside.
function look() {
  const wrong = [];
  const text = (element) => element.textContent.trim().slice(0, 50);
  if (document.documentElement.scrollWidth > innerWidth)
    wrong.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} px`);
  const main = document.querySelector("main");
  if (!main || main.textContent.trim().length < 200) wrong.push("there is no text");
  if (main.querySelectorAll("h1").length !== 1) wrong.push("it has not one title");

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = rgba(colour)
      .slice(0, 3)
      .map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const seen = new Set();
  for (const code of main.querySelectorAll("pre code")) {
    const size = parseFloat(getComputedStyle(code).fontSize);
    if (size < 10.5) wrong.push(`code of ${size} px: ${text(code)}`);
    // Room for 40 signs in a line at least: the rest scrolls within its block.
    if (code.closest("pre").clientWidth < 40 * size * 0.55) wrong.push(`a narrow block: ${text(code)}`);
  }
  for (const e of main.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!own || !e.checkVisibility()) continue;
    const [colour, back] = [getComputedStyle(e).color, ground(e)];
    const [high, low] = [luminance(colour), luminance(back)].sort((x, y) => y - x);
    const ratio = (high + 0.05) / (low + 0.05);
    // mdBook's own colours of code are not ours to choose: readable is enough there.
    if (ratio < (e.closest("pre") ? 3 : 4.5) && !seen.has(colour + back))
      wrong.push(`contrast of ${ratio.toFixed(2)}: ${text(e)}`);
    seen.add(colour + back);
  }
  return wrong;
}

// Files that are there, and anchors that are in them.
function dead(from, href) {
  if (/^(https?|mailto):/.test(href)) return null;
  const url = new URL(href, pathToFileURL(join(site, from)));
  const file = fileURLToPath(new URL(url.pathname, "file://"));
  if (!file.startsWith(site)) return `${href} leads out of the site`;
  if (!existsSync(file)) return `${href} leads nowhere`;
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (anchor && !readFileSync(file, "utf8").includes(`id="${anchor}"`)) return `${href}: no such anchor`;
  return null;
}

async function visit(browser, name, scheme, width) {
  const where = `${name}, ${scheme}, ${width} px`;
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`${where}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${where}: ${error}`));
  page.on("requestfailed", (request) => faults.push(`${where}: failed: ${request.url()}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) faults.push(`${where}: asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(site, name)).href, { waitUntil: "load" });
  const isDark = await page.evaluate(() => document.documentElement.classList.contains("navy"));
  if (isDark !== (scheme === "dark")) faults.push(`${where}: in the wrong colours`);
  for (const wrong of await page.evaluate(look)) faults.push(`${where}: ${wrong}`);
  if (scheme === "light" && width === 1280) {
    const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")));
    for (const href of new Set(links)) {
      const wrong = dead(name, href);
      if (wrong) faults.push(`${name}: ${wrong}`);
    }
  }
  await page.screenshot({ path: `${out}/${name.replace(".html", "")}-${scheme}-${width}.png`, fullPage: true });
  await context.close();
}

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // A container has no namespaces for the sandbox to use; the pages are our own.
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--allow-file-access-from-files"],
});
for (const name of pages)
  for (const scheme of SCHEMES) for (const width of WIDTHS) await visit(browser, name, scheme, width);
await browser.close();

if (pages.length < 10) faults.push(`only ${pages.length} pages in ${dirname(join(site, "x"))}`);
console.log(`${pages.length} pages, in ${SCHEMES.join(" and ")}, at ${WIDTHS.join(", ")} px: pictures in ${out}`);
for (const fault of faults) console.error(`  ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
