import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WidgetState } from "./state.ts";

/** How far from the end, in pixels, still counts as reading along. */
const NEAR = 48;

/**
 * Keeps the newest words in view while the visitor reads along, and lets go as soon as they scroll
 * up. Asking something always brings them back to the end.
 */
export function useStickyEnd(state: WidgetState) {
  const log = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);

  const toEnd = () => {
    following.current = true;
    setAway(false);
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  };
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = log.current!;
    following.current = scrollHeight - scrollTop - clientHeight < NEAR;
    setAway(!following.current);
  };
  useLayoutEffect(() => {
    if (following.current || state.phase === "waiting" || state.turns.length === 0) toEnd();
  }, [state]);
  return { log, away, toEnd, onScroll };
}
