// deno-lint-ignore-file no-explicit-any -- the versions' types differ, and a test looks into what they made

import { HttpAgent } from "@ag-ui/client";
// @ts-types="./ai_sdk.d.ts"
import * as ai5 from "ai5";
// @ts-types="./ai_sdk.d.ts"
import * as ai6 from "ai6";
// @ts-types="./ai_sdk.d.ts"
import * as ai7 from "ai7";
import OpenAI, { APIError } from "openai";
import type { ReadAnswer, ReadTool } from "./read_answer.ts";

/** Reads the text of a stream with a real client of its format. */
export type StreamReader = (body: string) => Promise<ReadAnswer>;

const answerOf = (body: string) => () =>
  Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));

/** The three versions of the AI SDK that are in use. */
export const AI_SDKS: Readonly<Record<string, any>> = { "5": ai5, "6": ai6, "7": ai7 };

export const AI_SDK_READERS: Readonly<Record<string, StreamReader>> = Object.fromEntries(
  Object.entries(AI_SDKS).map(([version, ai]) => [version, (body) => readAiSdk(ai, body)]),
);

async function readAiSdk(ai: any, body: string): Promise<ReadAnswer> {
  const transport = new ai.DefaultChatTransport({ fetch: answerOf(body) });
  const question = { id: "1", role: "user", parts: [{ type: "text", text: "Hi" }] };
  const stream = await transport.sendMessages({
    ...{ chatId: "c", messages: [question], trigger: "submit-message" },
  });
  let message: any;
  let failure: unknown;
  const onError = (error: unknown) => failure = error;
  for await (const next of ai.readUIMessageStream({ stream, onError })) message = next;
  const { finishReason, errorCode } = message.metadata;
  if ((failure !== undefined) !== (finishReason === "error" || errorCode !== undefined)) {
    throw new Error(`error ${failure} with the reason ${finishReason}`);
  }
  return {
    text: message.parts.map((part: any) => part.type === "text" ? part.text : "").join(""),
    tools: message.parts.filter(({ type }: any) => type === "dynamic-tool").map(toolOfPart),
    end: errorCode === undefined ? finishReason : `failed:${errorCode}`,
  };
}

function toolOfPart({ toolName: name, input: args, state, output, errorText }: any): ReadTool {
  if (state === "output-available") return { name, args, output };
  if (state === "output-error") return { name, args, error: errorText };
  throw new Error(`the tool ${name} is left in the state ${state}`);
}

/** Untyped: its overloads are deeper than the type checker can report. */
function openAi(body: string): any {
  return new OpenAI({ apiKey: "k", baseURL: "http://service/v1/openai", fetch: answerOf(body) });
}

/** Tools have no place in the format. */
export async function readOpenAiChat(body: string): Promise<ReadAnswer> {
  let text = "";
  let end = "";
  try {
    const stream = openAi(body).chat.completions.stream({ model: "a", messages: [] });
    stream.on("chunk", (chunk: any) => {
      text += chunk.choices[0]?.delta.content ?? "";
      end = chunk.agent_finish_reason ?? end;
    });
    const whole = await stream.finalContent();
    if (whole !== text) throw new Error(`collected ${whole} from ${text}`);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    end = `failed:${error.code}`;
  }
  return { text, tools: [], end };
}

export async function readOpenAiResponses(body: string): Promise<ReadAnswer> {
  let last: any;
  let failure: APIError | undefined;
  try {
    for await (const event of await openAi(body).responses.create({ model: "a", stream: true })) {
      if ("response" in event) last = event.response;
    }
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    failure = error;
    last = finalResponse(body);
  }
  const end = failure === undefined
    ? last.metadata.finish_reason ?? "stop"
    : `failed:${failure.code}`;
  if (failure === undefined) await checkHelper(body, last);
  return {
    text: last.output_text,
    tools: last.output.filter(({ type }: any) => type === "mcp_call").map(toolOfItem),
    end,
  };
}

/** The helper that builds the response from the events must get the same. */
async function checkHelper(body: string, last: any): Promise<void> {
  const whole: any = await openAi(body).responses.stream({ model: "a", input: "Hi" })
    .finalResponse();
  if (whole.output_text !== last.output_text || whole.output.length !== last.output.length) {
    throw new Error("the helper built another response");
  }
}

/** `response.failed` comes after the error at which the client stops. */
function finalResponse(body: string): any {
  const data = body.match(/^event: response\.failed\ndata: (.*)$/m)?.[1];
  return JSON.parse(data!).response;
}

function toolOfItem({ name, arguments: args, output, error, status }: any): ReadTool {
  if (status === "in_progress") throw new Error(`the call of ${name} is still in progress`);
  const call = { name, args: JSON.parse(args) };
  return error === null ? { ...call, output: JSON.parse(output) } : { ...call, error };
}

export async function readAgUi(body: string): Promise<ReadAnswer> {
  const agent: any = new (HttpAgent as any)({
    url: "http://service/v1/ag-ui/a",
    fetch: answerOf(body),
  });
  let end = "";
  const onEvent = ({ event }: any) => {
    if (event.type === "RUN_FINISHED") end = event.result.finishReason;
    if (event.type === "RUN_ERROR") end = `failed:${event.code}`;
  };
  await agent.runAgent({}, { onEvent, onRunErrorEvent: () => {} } as any);
  const messages = agent.messages as any[];
  const results = new Map(
    messages.filter(({ role }) => role === "tool")
      .map(({ toolCallId, content }) => [toolCallId, JSON.parse(content)]),
  );
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  return {
    text: messages.map(({ role, content }) => role === "assistant" ? content ?? "" : "").join(""),
    tools: calls.map(({ id, function: { name, arguments: args } }) => {
      const output = results.get(id);
      const error = output?.error?.message;
      const call = { name, args: JSON.parse(args) };
      return error === undefined ? { ...call, output } : { ...call, error };
    }),
    end,
  };
}
