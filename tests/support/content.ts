import {
  ContentCipher,
  type ContentCipherOptions,
  createContentSealer,
} from "@/lib/store/encryption/content_cipher.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { TEST_ENCRYPTION_KEY } from "./encryption_keys.ts";

/** A content cipher, with the same keys in all tests by default. */
export function contentCipher(
  { keys = [TEST_ENCRYPTION_KEY], ...options }:
    & { keys?: readonly string[] }
    & Pick<ContentCipherOptions, "onUnreadable"> = {},
): ContentCipher {
  const sealer = createContentSealer(keys, systemRuntime.randomBytes);
  return new ContentCipher({ sealer, digestKey: new Uint8Array(32).fill(1), ...options });
}
