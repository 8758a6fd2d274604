import { concatBytes } from "../../platform/bytes.ts";
import { MemorySemaphore } from "../../platform/memory_semaphore.ts";
import type { ImageContents, ModelMessage } from "../../providers/model.ts";
import type { AttachmentRecord } from "../../store/attachments/attachment_record.ts";
import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";

/**
 * For the images of all runs of this process. A run's images are held in base64, and once more in each
 * request that sends them.
 */
const imageMemory = new MemorySemaphore(128 * 1_048_576);
const MEMORY_PER_BYTE = 3;

/** The images of a run; disposing of them lets other runs load theirs. */
export interface LoadedImages extends Disposable {
  contents: ImageContents;
}

/**
 * Loads the files of a run's images, when there is memory for them. Throws if one was deleted since the
 * run was admitted, and the signal's reason if that is aborted.
 */
export async function loadImages(
  messages: readonly ModelMessage[],
  { tenant, attachments, signal }: {
    tenant: string;
    attachments: Pick<AttachmentStore, "readFile" | "find">;
    signal: AbortSignal;
  },
): Promise<LoadedImages> {
  const ids = new Set(messages.flatMap((message) => {
    return message.role === "user" ? (message.images ?? []).map(({ id }) => id) : [];
  }));
  const contents = new Map<string, string>();
  if (ids.size === 0) return { contents, [Symbol.dispose]() {} };
  const records = await Promise.all([...ids].map(async (id): Promise<AttachmentRecord> => {
    const record = await attachments.find(tenant, id);
    if (record === undefined) throw new Error("an attachment was deleted during its run");
    return record;
  }));
  const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  const share = await imageMemory.take(bytes * MEMORY_PER_BYTE, signal);
  try {
    for (const record of records) {
      signal.throwIfAborted();
      const file = concatBytes(await Array.fromAsync(attachments.readFile(tenant, record)));
      contents.set(record.id, file.toBase64());
    }
  } catch (error) {
    share[Symbol.dispose]();
    throw error;
  }
  return {
    contents,
    [Symbol.dispose]() {
      contents.clear();
      share[Symbol.dispose]();
    },
  };
}
