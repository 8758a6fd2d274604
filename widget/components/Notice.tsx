import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../failure.ts";
import { STRINGS } from "../strings.ts";
import { AlertIcon } from "./icons.tsx";

export interface NoticeProps {
  readonly failure: Failure;
  readonly onRetry: () => void;
}

/** Longer waits are only said in words: nobody keeps a page open to press a button in hours. */
const LONGEST_WAIT_MS = 15 * 60_000;

export function Notice({ failure, onRetry }: NoticeProps) {
  const ready = useReady(failure.retryAt ?? 0);
  return (
    <div class="notice">
      <AlertIcon />
      <div>
        <p>{failure.text}</p>
        {failure.retry !== "never" && ready && (
          <button type="button" class="retry" onClick={onRetry}>{STRINGS.retry}</button>
        )}
      </div>
    </div>
  );
}

/** True from the moment `at` (milliseconds since the epoch) on. */
function useReady(at: number): boolean {
  const [ready, setReady] = useState(() => Date.now() >= at);
  useEffect(() => {
    const wait = at - Date.now();
    setReady(wait <= 0);
    if (wait <= 0 || wait > LONGEST_WAIT_MS) return;
    const timer = setTimeout(() => setReady(true), wait);
    return () => clearTimeout(timer);
  }, [at]);
  return ready;
}
