/** Every format says of a run what its frames say, from whichever frame it is read. */
import { assert, assertEquals } from "@std/assert";
import { AgUiEncoder } from "@/lib/http/encoders/ag_ui_encoder.ts";
import { AiSdkEncoder } from "@/lib/http/encoders/ai_sdk_encoder.ts";
import { NativeEncoder } from "@/lib/http/encoders/native_encoder.ts";
import { OpenAiChatEncoder } from "@/lib/http/openai/openai_chat_encoder.ts";
import { OpenAiResponsesEncoder } from "@/lib/http/openai/openai_responses_encoder.ts";
import type { StreamEncoder } from "@/lib/http/encoders/stream_encoder.ts";
import {
  AI_SDK_READERS,
  readAgUi,
  readOpenAiChat,
  readOpenAiResponses,
  type StreamReader,
} from "./support/formats/clients.ts";
import { type ReadAnswer, readNative } from "./support/formats/read_answer.ts";
import { type RecordedRun, recordRuns } from "./support/formats/recorded_runs.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";

const RUNS = 200;
const CUTS = 50;

const REQUEST = {
  model: "a",
  previousResponseId: null,
  maxOutputTokens: null,
  temperature: null,
  metadata: {},
};

interface Format {
  encoder: (runId: string) => StreamEncoder;
  readers: Readonly<Record<string, StreamReader>>;
  /** What the format can say of an answer. */
  expected?: (native: ReadAnswer) => ReadAnswer;
  /** An answer without words is no error in the format. */
  mayBeEmpty?: true;
}

const FORMATS: Readonly<Record<string, Format>> = {
  "ai-sdk-ui": {
    encoder: (runId) => new AiSdkEncoder(runId),
    readers: AI_SDK_READERS,
  },
  "openai-chat": {
    encoder: (runId) => new OpenAiChatEncoder({ runId, model: "a", includeUsage: true }),
    readers: { openai: readOpenAiChat },
    expected: (native) => ({ ...native, tools: [] }),
    mayBeEmpty: true,
  },
  "openai-responses": {
    encoder: (runId) => new OpenAiResponsesEncoder(runId, REQUEST),
    readers: { openai: readOpenAiResponses },
    mayBeEmpty: true,
  },
  "ag-ui": {
    encoder: (runId) =>
      new AgUiEncoder({ runId, thread: { threadId: "t", runId: "r" }, isVersion1: true }),
    readers: { "@ag-ui/client": readAgUi },
    // A call without a result has none there either.
    expected: (native) => ({
      ...native,
      tools: native.tools.map((tool) =>
        tool.error === "the run ended before the tool answered"
          ? { name: tool.name, args: tool.args, output: undefined }
          : tool
      ),
    }),
  },
};

Deno.test("200 recorded runs: each format's clients read the same text, tools and end", async (t) => {
  const runs = await recordRuns(RUNS, 21);
  assertEquals(runs.length, RUNS);
  const ends = new Set(runs.map((run) => readNative(run).end));
  for (
    const end of [
      "stop",
      "length",
      "content_filter",
      "max_steps",
      "cancelled",
      "failed:provider_error",
    ]
  ) {
    assert(ends.has(end), `no run ended with ${end}, but with ${[...ends].join(", ")}`);
  }
  for (const [name, format] of Object.entries(FORMATS)) {
    const { encoder, readers, expected = (native) => native, mayBeEmpty = false } = format;
    for (const [client, read] of Object.entries(readers)) {
      await t.step(`${name}, read by ${client}`, async () => {
        for (const run of runs) {
          const answer = await read(encode(run, encoder(run.runId)));
          assertEquals(answer, expected(readNative(run, { mayBeEmpty })), run.kind);
        }
      });
    }
  }
  await t.step("cut at 50 random frames, the rest continues byte for byte", () => {
    const dice = new SeededRandom(22);
    const native: Format["encoder"] = (runId) => new NativeEncoder(runId);
    for (const create of [native, ...Object.values(FORMATS).map(({ encoder }) => encoder)]) {
      for (const run of runs) checkCuts(run, { create, dice });
    }
  });
});

function checkCuts(
  run: RecordedRun,
  { create, dice }: { create: Format["encoder"]; dice: SeededRandom },
): void {
  const { runId, frames } = run;
  const whole = encode(run, create(runId));
  for (let n = 0; n < CUTS; n++) {
    const cut = dice.int(0, frames.length);
    const before = frames.slice(0, cut);
    const sent = encode({ ...run, frames: before }, create(runId));
    const resumed = create(runId);
    for (const frame of before) resumed.encode(frame);
    assertEquals(sent + encode({ ...run, frames: frames.slice(cut) }, resumed), whole);
  }
}

function encode({ frames }: RecordedRun, encoder: StreamEncoder): string {
  return frames.map((frame) => encoder.encode(frame)).join("");
}
