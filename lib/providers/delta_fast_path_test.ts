import { describe, it } from "@std/testing/bdd";
import { assertEquals } from "@std/assert";
import { asObject, type JsonObject, parseEvent } from "./stream_json.ts";
import { DeltaFastPath } from "./delta_fast_path.ts";

/** An event contains only text unless it has a `stop`. */
function readText({ said, stop }: JsonObject): string | undefined {
  const text = asObject(said)?.text;
  return stop === undefined && typeof text === "string" ? text : undefined;
}

const eventOf = (text: string, more: object = {}) =>
  JSON.stringify({ id: "text", said: { role: "a", text }, ...more });

function learnt(data = eventOf("first")): DeltaFastPath {
  const frame = new DeltaFastPath(readText);
  frame.learn(data, parseEvent(data));
  return frame;
}

describe("DeltaFastPath", () => {
  it("extracts the text of an event that is otherwise the same", () => {
    const frame = learnt();
    const texts = [
      "next",
      "",
      "a",
      'say "hi"',
      "\\",
      '\\"',
      "line\nline\t",
      "🗼 ü",
      "\u0000",
      '"}}',
    ];
    for (const text of texts) assertEquals(frame.extract(eventOf(text)), text);
    assertEquals(frame.extract('{"id":"text","said":{"role":"a","text":"\\u00fc\\/"}}'), "ü/");
  });

  it("extracts nothing from other events", () => {
    const frame = learnt();
    assertEquals(new DeltaFastPath(readText).extract(eventOf("first")), undefined);
    const others = [
      eventOf("next", { stop: "end" }),
      eventOf("next").replace('"a"', '"b"'),
      eventOf("next") + " ",
      "",
      '{"id":"text","said":{"role":"a","text":"}}',
      // A string that ends early, and invalid strings.
      '{"id":"text","said":{"role":"a","text":"x","text":"y"}}',
      '{"id":"text","said":{"role":"a","text":"x"},"stop":{"a":"y"}}',
      '{"id":"text","said":{"role":"a","text":"x\ny"}}',
      '{"id":"text","said":{"role":"a","text":"\\x"}}',
      '{"id":"text","said":{"role":"a","text":"\\"}}',
    ];
    for (const data of others) assertEquals(frame.extract(data), undefined, data);
  });

  it("learns no place that only looks like the text's", () => {
    // The first is a key, the second the value of another; the third contains more than text.
    for (const text of ["said", "a"]) {
      assertEquals(learnt(eventOf(text)).extract(eventOf("next")), undefined, text);
    }
    const key = '{"s\\u0061id":{"text":"a"},"said":{"text":"said"}}';
    assertEquals(learnt(key).extract(key.replace('"said"', '"next"')), undefined);
    const more = { stop: "end" };
    assertEquals(learnt(eventOf("first", more)).extract(eventOf("next", more)), undefined);
    assertEquals(learnt(eventOf("")).extract(eventOf("next")), undefined);
    assertEquals(
      learnt('{"said":{"text":"\\u0061b"}}').extract('{"said":{"text":"c"}}'),
      undefined,
    );
  });

  it("ignores a text that also stands between two strings", () => {
    for (const text of [",", ":", ":{"]) {
      assertEquals(learnt(eventOf(text)).extract(eventOf("next")), undefined, text);
    }
  });

  it("learns a new frame, and gives up if no two events are alike", () => {
    const frame = learnt();
    const later = (n: number) => eventOf(`later ${n}`, { n });
    const take = (data: string) => {
      const text = frame.extract(data);
      if (text === undefined) frame.learn(data, parseEvent(data));
      return text;
    };
    assertEquals([take(later(1)), take(later(1))], [undefined, "later 1"]);
    for (let n = 2; n < 10; n++) assertEquals(take(later(n)), undefined);
    assertEquals(take(later(9)), undefined);
  });

  it("extracts what parsing each event would, over seeded streams", () => {
    let state = 7;
    const random = (below: number) => (state = state * 48_271 % 2_147_483_647) % below;
    const pieces = ['"', "\\", "n", "u0041", "{", "}", ":", ",", '"text"', "a", "ü", "\u0001", " "];
    const frame = learnt();
    for (let n = 0; n < 5_000; n++) {
      const inside = Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join(
        "",
      );
      const data = `{"id":"text","said":{"role":"a","text":"${inside}"}}`;
      const text = frame.extract(data);
      assertEquals(text, literal(inside), data);
      if (text !== undefined) assertEquals(text, readText(parseEvent(data)), data);
    }
  });
});

function literal(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`);
  } catch {
    return undefined;
  }
}
