import { validationError } from "../../schemas/api_error.ts";
import {
  MAX_WAIT_SECONDS,
  STREAM_PROTOCOLS,
  type StreamProtocol,
} from "../../schemas/chat_protocol.ts";
import { AgUiEncoder } from "./ag_ui_encoder.ts";
import { AiSdkEncoder } from "./ai_sdk_encoder.ts";
import { NativeEncoder } from "./native_encoder.ts";
import type { ContinuedStream, StreamEncoder } from "./stream_encoder.ts";

/**
 * The format of a stream: `?protocol=`, or the parameter of `Accept: text/event-stream; protocol=…`, else
 * our own. Throws 400 for an unknown one.
 */
export function requestedProtocol(req: Request): StreamProtocol {
  const known = findProtocol(req);
  if (known !== undefined) return known;
  const message = `must be one of ${STREAM_PROTOCOLS.join(", ")}`;
  throw validationError([{ path: "protocol", code: "invalid_value", message }]);
}

/** As `requestedProtocol`, but `undefined` for an unknown one. */
export function findProtocol(req: Request): StreamProtocol | undefined {
  const asked = new URL(req.url).searchParams.get("protocol") ??
    acceptedProtocol(req.headers.get("accept") ?? "") ?? "native";
  return STREAM_PROTOCOLS.find((one) => one === asked);
}

/**
 * Seconds of `?wait=`, for a poll of the frames in place of a stream; `undefined` for a stream. Throws 400
 * unless it is an integer from 1 to 25 and the frames are our own: other formats are complete streams.
 */
export function requestedWait(req: Request): number | undefined {
  const asked = new URL(req.url).searchParams.getAll("wait");
  if (asked.length === 0) return undefined;
  const seconds = /^[1-9]\d?$/.test(asked[0]!) ? Number(asked[0]) : Infinity;
  const issue = { path: "wait", code: "out_of_range" };
  if (asked.length > 1 || seconds > MAX_WAIT_SECONDS) {
    const message = `must be a whole number of seconds, 1-${MAX_WAIT_SECONDS}`;
    throw validationError([{ ...issue, message }]);
  }
  if (requestedProtocol(req) === "native") return seconds;
  const message = "only frames can be polled, not another protocol";
  throw validationError([{ ...issue, code: "invalid_value", message }]);
}

/** An encoder for a run that is replayed from its first frame, or followed from a later one. */
export function createEncoder(
  protocol: StreamProtocol,
  runId: string,
  options: { continues?: ContinuedStream; approvals?: boolean } = {},
): StreamEncoder {
  switch (protocol) {
    case "native":
      return new NativeEncoder(runId);
    case "ai-sdk-ui":
      return new AiSdkEncoder(runId, options);
    case "ag-ui":
      return new AgUiEncoder({ runId, isVersion1: true, ...options });
    default:
      return protocol satisfies never;
  }
}

/** `?approvals=1`: the client knows the approval parts of the AI SDK, as its versions since 6 do. */
export function encoderOptions(req: Request): { approvals: boolean } {
  return { approvals: new URL(req.url).searchParams.get("approvals") === "1" };
}

function acceptedProtocol(accept: string): string | undefined {
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (type !== "text/event-stream") continue;
    const found = parameters.find((parameter) => parameter.startsWith("protocol="));
    if (found !== undefined) return found.slice("protocol=".length).replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}
