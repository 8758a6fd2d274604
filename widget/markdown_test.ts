import { assert, assertEquals } from "@std/assert";
import { ATTACKS } from "../tests/fixtures/markdown_attacks.ts";
import { parseBlock, splitBlocks } from "./markdown.ts";
import type { Inline, Node } from "./markdown_tree.ts";

function parse(text: string, live = false): Node[] {
  const blocks = splitBlocks(text, live);
  return blocks.map((block, at) => parseBlock(block, live && at === blocks.length - 1));
}

/** A tree as one line: `p(a strong(b))`. */
function line(nodes: Inline[]): string {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    return `${node.tag}${node.href ? `<${node.href}>` : ""}(${line(node.kids)})`;
  }).join("");
}

const show = (text: string, live = false) => line(parse(text, live));

function all(nodes: Inline[]): Node[] {
  return nodes.flatMap((node) => typeof node === "string" ? [] : [node, ...all(node.kids)]);
}

Deno.test("parseBlock: parses the Markdown of typical answers", () => {
  const cases: Record<string, string> = {
    "One *two* **three** `four` ~~five~~": "p(One em(two) strong(three) code(four) del(five))",
    "***both***": "p(em(strong(both)))",
    "One\ntwo": "p(Onebr()two)",
    "# A\n## B\n#### C": "h3(A)h4(B)h5(C)",
    "- a\n- b\n  - c\n\nEnd": "ul(li(a)li(bul(li(c))))p(End)",
    "3. a\n\n   more\n4. b": "ol(li(ap(more))li(b))",
    "> a\n> b": "blockquote(p(abr()b))",
    "| a | b |\n|--|:-:|\n| 1 | x \\| y |": "table(tr(th(a)th(b))tr(td(1)td(x | y)))",
    "a | b\n--|--\n\\|1 | x \\|": "table(tr(th(a)th(b))tr(td(|1)td(x |)))",
    "```js\na < b\n\nc\n```\nEnd": "pre(a < b\n\nc)p(End)",
    "---": "hr()",
    "[a](https://b.test/c_(d)) https://e.test/f.":
      "p(a<https://b.test/c_(d)>(a) a<https://e.test/f>(https://e.test/f).)",
    "snake_case_name and 2 * 3 * 4 and \\*plain\\*": "p(snake_case_name and 2 * 3 * 4 and *plain*)",
    "a__b__c __d__ __e__f größe__g__ _h_i_ ~5 to ~6 2*3*4 **b**c":
      "p(a__b__c strong(d) strong(e__f größe__g) em(h_i) ~5 to ~6 2*3*4 strong(b)c)",
    "`a\\` ``b`c`` ```d``` `` `e` `` `f": "p(code(a\\) code(b`c) code(d) code(`e`) `f)",
    "[**a** https://b.test](https://c.test/) [x [y](https://z.test/)":
      "p(a<https://c.test/>(strong(a) https://b.test) [x a<https://z.test/>(y))",
    "[Sources: [A](https://a.test/), [B](https://b.test/)]":
      "p([Sources: a<https://a.test/>(A), a<https://b.test/>(B)])",
    "# C# #\n###### Six": "h3(C#)h5(Six)",
    "It was\n1999. A good year": "p(It wasbr()1999. A good year)",
    "![cat](https://a.test/c.png)": "p(img<https://a.test/c.png>(cat))",
  };
  for (const [text, tree] of Object.entries(cases)) assertEquals(show(text), tree, text);
  assertEquals(parse("7. a")[0]?.start, 7);
});

Deno.test("parseBlock: incomplete text is rendered as what it becomes, without its syntax", () => {
  assertEquals(show("Some **bo", true), "p(Some strong(bo))");
  assertEquals(show("Some **", true), "p(Some )");
  assertEquals(show("Some `co", true), "p(Some code(co))");
  assertEquals(show("See [the guide](https://exa", true), "p(See the guide)");
  assertEquals(show("| a | b |", true), "table(tr(th(a)th(b)))");
  assertEquals(show("```js\nlet a", true), "pre(let a)");
  assertEquals(show("Some **bo"), "p(Some **bo)");
});

Deno.test("splitBlocks: a block never changes once another follows it", () => {
  const text = "Intro\n\n- a\n- b\n\n  c\n\n```\nx\n\ny\n```\n\n| a |\n|--|\n| b |\n\n> q\n\nEnd.";
  const whole = splitBlocks(text);
  for (let length = 1; length < text.length; length++) {
    const now = splitBlocks(text.slice(0, length), true).slice(0, -1);
    assertEquals(now, whole.slice(0, now.length), text.slice(0, length));
  }
});

Deno.test("parseBlock: over a hundred attacks become text, known tags and harmless addresses", () => {
  const tags = /^(p|h[345]|[uo]l|li|pre|blockquote|hr|table|t[rhd]|strong|em|del|code|a|img|br)$/;
  assert(ATTACKS.length >= 100);
  for (const attack of ATTACKS) {
    for (let length = 1; length <= attack.length; length++) {
      const live = length < attack.length;
      for (const node of all(parse(attack.slice(0, length), live))) {
        assert(tags.test(node.tag), attack);
        if (node.href === undefined) continue;
        assert(/^(https?|mailto):/.test(node.href), attack);
        assertEquals(new URL(node.href).username, "", attack);
        if (node.tag === "img") assert(node.href.startsWith("http"), attack);
      }
    }
  }
});

Deno.test("parseBlock: bounds the nesting of any answer", () => {
  const depth = (nodes: Inline[]): number =>
    Math.max(0, ...nodes.map((node) => typeof node === "string" ? 0 : 1 + depth(node.kids)));
  for (
    const text of [
      "> ".repeat(500) + "x",
      "- ".repeat(500) + "x",
      "*_".repeat(500) + "x" + "_*".repeat(500),
    ]
  ) {
    assert(depth(parse(text)) < 40);
  }
});
