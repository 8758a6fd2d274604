/**
 * Files that a visitor pastes into the panel or drops on it; none while they hold them over it. What
 * has none, and copied text that has a picture of itself, is left to the browser.
 */
export function takeFiles(root: EventTarget, take: (files: readonly File[]) => void): void {
  for (const type of ["paste", "dragover", "drop"]) {
    root.addEventListener(type, (event) => {
      const { clipboardData, dataTransfer } = event as ClipboardEvent & DragEvent;
      const data = clipboardData ?? dataTransfer;
      if (!data?.types.includes("Files") || data.types.includes("text/plain")) return;
      event.preventDefault();
      take([...data.files]);
    });
  }
}
