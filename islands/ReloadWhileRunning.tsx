import { useEffect } from "preact/hooks";

/** How often a page asks for news, milliseconds. */
const INTERVAL_MS = 2_000;

/** Shows a page again while what it is about is running. Without scripts the page does it by itself. */
export default function ReloadWhileRunning() {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || location.reload(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  return null;
}
