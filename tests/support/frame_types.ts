import { assertEquals } from "@std/assert";
import type { Frame, FrameOf } from "@/lib/schemas/frames.ts";
import type { ReceivedFrame } from "./frames.ts";

/** The frame types in order, consecutive deltas as one. */
export function frameTypes(frames: readonly ReceivedFrame[]): string[] {
  const types = frames.map(({ frame }) => frame.type);
  return types.filter((type, i) => type !== "delta" || types[i - 1] !== "delta");
}

/** The only frame of a type. */
export function onlyFrame<T extends Frame["type"]>(
  frames: readonly ReceivedFrame[],
  type: T,
): FrameOf<T> {
  const found = frames.filter(({ frame }) => frame.type === type);
  assertEquals(found.length, 1, `frames of type ${type}`);
  return found[0]!.frame as FrameOf<T>;
}

/** The first frame, which is `start`. */
export function startFrame(frames: readonly ReceivedFrame[]): FrameOf<"start"> {
  assertEquals(frames[0]?.frame.type, "start");
  return onlyFrame(frames, "start");
}
