/** Files that a visitor pastes into the panel or drops on it. What has none is left to the browser. */
export function takeFiles(root: EventTarget, take: (files: readonly File[]) => void): void {
  for (const type of ["paste", "dragover", "drop"]) {
    root.addEventListener(type, (event) => {
      const { clipboardData, dataTransfer } = event as ClipboardEvent & DragEvent;
      const data = clipboardData ?? dataTransfer;
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      if (data.files[0]) take([...data.files]);
    });
  }
}
