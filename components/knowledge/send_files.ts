import { uploadFile } from "./upload_file.ts";

/** A file on its way. */
export interface Upload {
  /** Unique on the page. */
  id: number;
  name: string;
  /** What of it has gone out, 0-1. */
  share: number;
  /** Why it did not arrive. */
  fault?: string;
}

let lastId = 0;

/** Sends files one after the other, since each is a core's work; what did not arrive is kept, to be told. */
export async function uploadFiles(
  files: readonly File[],
  { path, signal, told, sent }: {
    path: string;
    signal: AbortSignal;
    /** Gets how far they are, after each change. */
    told: (change: (before: Upload[]) => Upload[]) => void;
    /** Called after each that has arrived. */
    sent: () => Promise<void>;
  },
): Promise<void> {
  const waiting = files.map((file) => ({ file, id: ++lastId }));
  told((before) => [
    ...before.filter(({ fault }) => fault === undefined),
    ...waiting.map(({ file, id }) => ({ id, name: file.name, share: 0 })),
  ]);
  for (const { file, id } of waiting) {
    const change = (of: Partial<Upload>) =>
      told((before) => before.map((one) => one.id === id ? { ...one, ...of } : one));
    try {
      await uploadFile(path, file, { signal, progress: (share) => change({ share }) });
      await sent();
      told((before) => before.filter((one) => one.id !== id));
    } catch (error) {
      change({ fault: error instanceof Error ? error.message : "It was not sent." });
    }
  }
}
