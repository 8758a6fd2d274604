/** The default encryption key of test services. */
export const TEST_ENCRYPTION_KEY = new Uint8Array(32).fill(7).toBase64();
/** A new key that an operator puts first. */
export const NEW_ENCRYPTION_KEY = new Uint8Array(32).fill(8).toBase64();
