/**
 * A form may be sent again after this time, if its page is still there: the answer was a file, or
 * loading was stopped.
 */
const RELEASE_AFTER_MS = 10_000;

/**
 * Ignores a second submission until the first is answered: an impatient second click would create a
 * second agent. Returns a function that stops it.
 */
export function preventDoubleSubmit(page: Window): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  let sent = new WeakSet<EventTarget>();
  page.addEventListener("submit", (event) => {
    const { target, submitter } = event as SubmitEvent;
    // A form that a script handles itself is not sent, and neither is a dialog's.
    if (!(target instanceof HTMLFormElement) || event.defaultPrevented) return;
    const method = submitter?.hasAttribute("formmethod")
      ? submitter.getAttribute("formmethod")
      : target.method;
    if (method !== "post") return;
    if (sent.has(target)) return event.preventDefault();
    sent.add(target);
    setTimeout(() => sent.delete(target), RELEASE_AFTER_MS);
  }, options);
  // The reader went back to a page that the browser has kept.
  page.addEventListener("pageshow", () => sent = new WeakSet(), options);
  return () => stop.abort();
}
