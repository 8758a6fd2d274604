/** docs/protocol.md, its recorded session and the frame decoder agree with the service. */
import { assert, assertEquals } from "@std/assert";
import { feedFrameSchema } from "@/lib/schemas/handoff.ts";
import { FRAME_DOCS } from "@/lib/openapi/frame_docs.ts";
import { FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { type Frame, frameSchema } from "@/lib/schemas/frames.ts";
import { recordSession, SESSION_FILE } from "./support/recorded_session.ts";

const DOCUMENT = new URL("../docs/protocol.md", import.meta.url);
const TYPES: string[] = frameSchema.options.map((option) => option.shape.type.value);

const session = () => Deno.readTextFile(SESSION_FILE);

Deno.test("the recorded session is what the service streams, byte for byte", async () => {
  assertEquals(await recordSession(), await session());
});

Deno.test("the recorded session has every frame type except error, numbered without gaps", async () => {
  const frames = new FrameDecoder().push(await session());
  assertEquals(
    new Set(frames.map(({ type }) => type)),
    new Set(TYPES).difference(new Set(["error"])),
  );
  assertEquals(frames.map(({ id }) => id.split(".")[1]), frames.map((_, i) => String(i + 1)));
  for (const { data } of frames) frameSchema.parse(data);
});

Deno.test("the recorded session, cut at any byte, is complete once the frames after the last whole one are added", async () => {
  const bytes = await Deno.readFile(SESSION_FILE);
  const whole = new FrameDecoder().push(bytes);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const before = new FrameDecoder().push(bytes.subarray(0, cut));
    const rest = whole.slice(Number(before.at(-1)?.id.split(".")[1] ?? 0));
    assertEquals([...before, ...rest].map(({ id }) => id), whole.map(({ id }) => id));
    const decoder = new FrameDecoder();
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    assertEquals(pieces.flatMap((piece) => decoder.push(piece)), whole);
  }
});

Deno.test("docs/protocol.md: contains the recorded session and one example of every frame", async () => {
  const text = await Deno.readTextFile(DOCUMENT);
  assert(text.includes((await session()).trimEnd()));
  const blocks = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)];
  for (const type of TYPES as Frame["type"][]) {
    const { example } = FRAME_DOCS[type];
    assert(
      blocks.some(([, event, data]) => event === type && data === JSON.stringify(example)),
      type,
    );
  }
  for (const [, event, data] of blocks) {
    // Frames of runs, and those of the feed of a hand-off.
    const schema = frameSchema.or(feedFrameSchema);
    assertEquals(schema.parse(JSON.parse(data!)).type, event);
  }
});

Deno.test("docs/protocol.md: every file that it links to exists", async () => {
  const text = await Deno.readTextFile(DOCUMENT);
  const links = [...text.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path]) => path!);
  assert(links.length >= 3);
  for (const path of links) assert((await Deno.stat(new URL(path, DOCUMENT))).isFile, path);
});
