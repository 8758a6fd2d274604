import { assertEquals, assertThrows } from "@std/assert";
import { renderBody } from "./render_body.ts";
import { createLookup } from "../template.ts";
import { ToolError } from "../tool_error.ts";

const visitor = new Map<string, unknown>([["name", `a&b <c>\n"]]>{{a}}`], ["seats", 3]]);
const FORM = "application/x-www-form-urlencoded";

function bodyOf(contentType: string, template: unknown, args: Record<string, unknown> = {}) {
  const lookup = createLookup(args, { secrets: new Map([["KEY", "a&b <c>"]]), visitor });
  return renderBody(template, { contentType, lookup });
}

Deno.test("renderBody: a template that is not text becomes JSON, unless the type is a form", () => {
  const body = { a: "{{a}}", b: "is {{a}}" };
  for (const type of ["application/json", "application/vnd.x", "text/plain", "text/xml"]) {
    assertEquals(bodyOf(type, body, { a: 1 }), '{"a":1,"b":"is 1"}', type);
  }
  assertEquals(bodyOf("application/json", "x {{a}}", { a: '"' }), '"x \\""');
  assertEquals(bodyOf("application/json", undefined), undefined);
});

Deno.test("renderBody: form text encodes values and omits fields without an argument", () => {
  const text = "name={{name}}&role=user&x=a{{x}}b&k={{secret.KEY}}";
  assertEquals(
    bodyOf(FORM, text, { name: "bob&role=admin", x: "é +%=" }),
    "name=bob%26role%3Dadmin&role=user&x=a%C3%A9+%2B%25%3Db&k=a%26b+%3Cc%3E",
  );
  assertEquals(bodyOf(FORM, text, {}), "role=user&k=a%26b+%3Cc%3E");
  assertEquals(bodyOf(FORM, "{{n}}=1&a=%20", { n: "a=b&c" }), "a%3Db%26c=1&a=%20");
});

Deno.test("renderBody: an object with a form type becomes a form", () => {
  const body = {
    name: "{{name}}",
    "a[b]": "x {{name}}",
    none: "{{none}}",
    empty: null,
    list: "{{list}}",
    fixed: [true, 0, null],
    nested: { name: "{{name}}" },
  };
  assertEquals(
    bodyOf(FORM, body, { name: "b&c", list: ["1", "2=3", { x: 1 }] }),
    "name=b%26c&a%5Bb%5D=x+b%26c&list=1&list=2%3D3&list=%7B%22x%22%3A1%7D" +
      "&fixed=true&fixed=0&nested=%7B%22name%22%3A%22b%26c%22%7D",
  );
  assertEquals(bodyOf(FORM, "{{all}}", { all: { a: "1&2" } }), "a=1%262");
});

Deno.test("renderBody: XML values are escaped for text and attributes", () => {
  const text = `<q a="{{a}}" b='{{b}}'><name>{{name}}</name></q>`;
  const args = { a: '"><x/>', b: "'\n", name: "x</name><admin>1</admin>&amp;" };
  for (const type of ["text/xml", "application/soap+xml; action=x", "Application/XML"]) {
    assertEquals(
      bodyOf(type, text, args),
      `<q a="&quot;&gt;&lt;x/&gt;" b='&#39;&#10;'>` +
        "<name>x&lt;/name&gt;&lt;admin&gt;1&lt;/admin&gt;&amp;amp;</name></q>",
      type,
    );
  }
  const error = assertThrows(() => bodyOf("text/xml", text, { ...args, a: "\0" }), ToolError);
  assertEquals(error.code, "tool_invalid_arguments");
});

Deno.test("renderBody: a value cannot end a CDATA section and is preserved in it", () => {
  const templates = [
    "<a><![CDATA[{{a}}{{b}}]]></a>",
    "<a><![CDATA[{{a}}>]]></a>",
    "<a><![CDATA[]]{{b}}]]></a>",
  ];
  for (const template of templates) {
    for (const [a, b] of [["]]", ">"], ["]", "]>"], ["]]>", "<x/>"], ["<&", ""]] as const) {
      const text = bodyOf("text/xml", template, { a, b }) ?? "";
      const read = text.slice(3, -4).replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1");
      const meant = template.slice(12, -7).replace("{{a}}", a).replace("{{b}}", b);
      assertEquals(read, meant, template);
    }
  }
  assertEquals(
    bodyOf("text/xml", "<![CDATA[{{a}}", { a: "<]" }),
    "<![CDATA[<]]><![CDATA[]]]><![CDATA[",
  );
});

Deno.test("renderBody: a placeholder in JSON lines is part of a string or a typed value", () => {
  const text = '{"q":"a {{q}}","n":{{n}},"e":"\\"{{q}}"}\n{"o":{{o}}}\n';
  const lines = bodyOf("application/x-ndjson", text, {
    q: 'x","admin":"1\n',
    n: '1,"admin":1',
    o: { a: [null] },
  });
  assertEquals((lines ?? "").trimEnd().split("\n").map((line) => JSON.parse(line)), [
    { q: 'a x","admin":"1\n', n: '1,"admin":1', e: '"x","admin":"1\n' },
    { o: { a: [null] } },
  ]);
  assertEquals(bodyOf("application/jsonl", text, { q: "x" }), undefined);
});

Deno.test("renderBody: plain text and unknown types take values unencoded", () => {
  for (const type of ["text/plain", "text/markdown; charset=utf-8", "text/csv"]) {
    assertEquals(bodyOf(type, "a,{{a}}", { a: '"<&' }), 'a,"<&', type);
    assertEquals(bodyOf(type, "a,{{a}}"), undefined, type);
  }
});

Deno.test("renderBody: a text that is one placeholder becomes the argument", () => {
  for (const type of [FORM, "text/xml", "application/x-ndjson", "text/csv"]) {
    assertEquals(bodyOf(type, "{{a}}", { a: '<a b="c&d">' }), '<a b="c&d">', type);
    assertEquals(bodyOf(type, "{{a}}"), undefined, type);
  }
  assertEquals(bodyOf("application/json", "{{a}}", { a: "x" }), '"x"');
});

Deno.test("renderBody: long texts with unclosed parts take linear time", () => {
  const cdata = "<![CDATA[".repeat(80_000);
  assertEquals(bodyOf("text/xml", cdata), cdata);
  const quotes = '"' + '\\"'.repeat(350_000) + "\\";
  assertEquals(bodyOf("application/x-ndjson", quotes), quotes);
});

Deno.test("renderBody: a visitor's value is encoded for its place and keeps its type", () => {
  const value = `a&b <c>\n"]]>{{a}}`;
  const json = { seats: "{{visitor.seats}}", text: "is {{visitor.name}}" };
  assertEquals(JSON.parse(bodyOf("application/json", json)!), { seats: 3, text: `is ${value}` });
  assertEquals(new URLSearchParams(bodyOf(FORM, "n={{visitor.name}}&x=1")!).get("n"), value);
  assertEquals(
    bodyOf("application/xml", "<n>{{visitor.name}}</n>"),
    "<n>a&amp;b &lt;c&gt;&#10;&quot;]]&gt;{{a}}</n>",
  );
});

Deno.test("renderBody: an argument never stands in for a visitor's value", () => {
  const args = { "visitor.name": "forged", "visitor.other": "forged" };
  const body = { name: "{{visitor.name}}", other: "{{visitor.other}}" };
  const sent = JSON.parse(bodyOf("application/json", body, args)!);
  assertEquals(sent, { name: `a&b <c>\n"]]>{{a}}` });
});
