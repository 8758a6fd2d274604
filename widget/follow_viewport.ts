/**
 * Tells the style sheet which part of the screen an on-screen keyboard leaves free: on iOS neither
 * `position: fixed` nor `100dvh` know about it, and the input would end up behind the keys.
 */
export function followViewport(host: HTMLElement): () => void {
  const viewport = globalThis.visualViewport;
  if (!viewport) return () => {};
  const update = () => {
    const zoomed = Math.abs(viewport.scale - 1) > 0.01;
    set(host, "--free-height", zoomed ? "" : `${viewport.height}px`);
    set(host, "--free-top", zoomed ? "" : `${viewport.offsetTop}px`);
  };
  const ending = new AbortController();
  viewport.addEventListener("resize", update, ending);
  viewport.addEventListener("scroll", update, ending);
  return () => ending.abort();
}

function set(host: HTMLElement, name: string, value: string): void {
  if (value) host.style.setProperty(name, value);
  else host.style.removeProperty(name);
}
