import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemRuntime } from "../../platform/runtime.ts";
import { SealedSecretsError, sealSecrets, unsealSecrets } from "./sealed_secrets.ts";

const SECRETS = {
  hmacSecrets: ["a secret that is long enough to sign with", "an older one"],
  encryptionKeys: [new Uint8Array(32).fill(7).toBase64()],
};
const PASSPHRASE = "correct horse battery stäple";

Deno.test("sealSecrets: only the passphrase opens the file, and nothing of the secrets is in clear", async () => {
  const text = await sealSecrets(SECRETS, { passphrase: PASSPHRASE, runtime: systemRuntime });
  assert(!text.includes("secret that") && !text.includes(SECRETS.encryptionKeys[0]!));
  assertEquals(await unsealSecrets(text, PASSPHRASE), SECRETS);
  // Another keyboard may compose the same letter of two characters.
  assertEquals(await unsealSecrets(text, PASSPHRASE.normalize("NFD")), SECRETS);
  const other = await sealSecrets(SECRETS, { passphrase: PASSPHRASE, runtime: systemRuntime });
  assert(other !== text);
});

Deno.test("unsealSecrets: rejects a wrong passphrase and a damaged file", async () => {
  const text = await sealSecrets(SECRETS, { passphrase: PASSPHRASE, runtime: systemRuntime });
  await assertRejects(
    () => unsealSecrets(text, "another passphrase"),
    SealedSecretsError,
    "the passphrase is wrong",
  );
  const file = JSON.parse(text);
  const ciphertext = Uint8Array.fromBase64(file.aes256gcm.ciphertext);
  ciphertext[0]! ^= 1;
  file.aes256gcm.ciphertext = ciphertext.toBase64();
  const damaged = [
    JSON.stringify(file),
    text.slice(0, -10),
    "",
    // A cost that would need terabytes of memory.
    text.replace("131072", "1099511627776"),
  ];
  for (const one of damaged) {
    await assertRejects(() => unsealSecrets(one, PASSPHRASE), SealedSecretsError);
  }
});
