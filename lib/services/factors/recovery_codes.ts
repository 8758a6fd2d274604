import { sha256 } from "../../platform/crypto/signer.ts";

export const RECOVERY_CODES = 10;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** 120 bits, because a fast hash of a shorter code could be guessed from a copy of the store. */
const CHARACTERS = 24;
const GROUP = 4;

/** New recovery codes, such as `abcd-efgh-ijkl-mnop-qrst-uvwx`. */
export function newRecoveryCodes(randomBytes: (n: number) => Uint8Array<ArrayBuffer>): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    // A byte modulo 32 is as random as its lower five bits.
    const characters = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % 32]!).join("");
    return characters.match(new RegExp(`.{${GROUP}}`, "g"))!.join("-");
  });
}

/** What is stored of a code, however it was typed. */
export function recoveryCodeHash(code: string): Promise<string> {
  return sha256(`recovery code ${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
