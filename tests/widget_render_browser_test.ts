/** What `widget/render.ts` draws, in a real browser. */
import { assertEquals } from "@std/assert";
import { buildSync } from "esbuild";
import { withPage } from "./support/browser.ts";

const ROOT = new URL("../", import.meta.url).pathname;

/** Runs in a page with `h`, `render` and a shadow root; resolves to what the function returns. */
async function draw(use: string): Promise<unknown> {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { h, render } from "./widget/render.ts";
        export const run = () => {
          const root = document.body.attachShadow({ mode: "open" });
          const html = () => root.innerHTML;
          ${use}
        };`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "drawn",
  });
  return await withPage({ baseUrl: "about:blank" }, async (page) => {
    await page.goto("about:blank");
    await page.evaluate(`${outputFiles[0]!.text}; globalThis.drawn = drawn`);
    return await page.evaluate("drawn.run()");
  });
}

Deno.test("render: elements, texts and components; nothing is drawn of null and booleans", async () => {
  const found = await draw(`
    const Name = ({ children, name }) => [h("b", null, name), children];
    render(h("p", { class: "a", hidden: false, "aria-busy": false, rows: 2 },
      h(Name, { name: 0 }, "x", null, true), [undefined, "y"]), root);
    return html();
  `);
  assertEquals(found, `<p class="a" aria-busy="false" rows="2"><b>0</b>xy</p>`);
});

Deno.test("render: an element keeps its place if others come and go, and its key if it moves", async () => {
  const found = await draw(`
    const list = (first, keys) => h("ul", null, first && h("li", null, "first"),
      keys.map((key) => h("li", { key }, key)));
    render(list(false, ["a", "b"]), root);
    const [a, b] = root.querySelectorAll("li");
    render(list(true, ["b", "c", "a"]), root);
    const all = [...root.querySelectorAll("li")];
    return [all.map((one) => one.textContent), all.indexOf(a), all.indexOf(b)];
  `);
  assertEquals(found, [["first", "b", "c", "a"], 3, 1]);
});

Deno.test("render: takes over what stands there, with its focus and text, and removes the rest", async () => {
  const found = await draw(`
    root.innerHTML = '<i></i><div style="display:none" part="x"><textarea></textarea><b></b></div>';
    const field = root.querySelector("textarea");
    root.querySelector("div").style.display = "";
    field.value = "typed";
    field.focus();
    const tree = (text) => h("div", { class: "w" }, h("u", null),
      h("textarea", { defaultValue: "draft" }), text);
    render(tree("one"), root);
    render(tree("two"), root);
    return [html().replace(/ style="[^"]*"/, ""), root.activeElement === field, field.value];
  `);
  const html = `<div class="w"><u></u><textarea>draft</textarea>two</div>`;
  assertEquals(found, [html, true, "typed"]);
});

Deno.test("render: the last listener is called, once; attributes and custom properties follow", async () => {
  const found = await draw(`
    const calls = [];
    const button = (n) => h("button", {
      onClick: () => calls.push(n), title: n < 2 ? "t" : undefined, style: { "--n": n },
    });
    for (const n of [1, 2, 3]) render(button(n), root);
    root.firstChild.click();
    const style = root.firstChild.style.getPropertyValue("--n");
    return [calls, root.firstChild.title, style];
  `);
  assertEquals(found, [[3], "", "3"]);
});

Deno.test("render: refs get elements that are in the document, the same function once", async () => {
  const found = await draw(`
    const seen = [];
    const same = (element) => seen.push(element.isConnected);
    const object = { current: null };
    const tree = (n) => h("p", null, h("i", { ref: same }), h("b", { ref: object }),
      h("u", { ref: () => seen.push(n) }));
    render(tree(1), root);
    render(tree(2), root);
    return [seen, object.current.localName];
  `);
  assertEquals(found, [[true, 1, 2], "b"]);
});

Deno.test("render: an element that is drawn again is left as it is, icons are SVG, null ends", async () => {
  const found = await draw(`
    let drawn = 0;
    const Part = () => (drawn++, "part");
    const kept = h("p", null, h(Part), h("svg", null, h("path", { d: "M0 0" })));
    render([kept, "a"], root);
    render([kept, "b"], root);
    const space = root.querySelector("path").namespaceURI;
    render(null, root);
    return [drawn, space, html()];
  `);
  assertEquals(found, [1, "http://www.w3.org/2000/svg", ""]);
});
