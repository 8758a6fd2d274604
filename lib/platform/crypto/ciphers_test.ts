import { assertEquals, assertThrows } from "@std/assert";
import { AES_256_GCM, type Cipher, XCHACHA20_POLY1305 } from "./ciphers.ts";

const hex = (text: string) => Uint8Array.fromHex(text);

interface KnownAnswer {
  name: string;
  cipher: Cipher;
  plain: Uint8Array;
  key: Uint8Array<ArrayBuffer>;
  nonce: Uint8Array;
  data: Uint8Array;
  /** The first 16 bytes of the ciphertext, and the tag. */
  begin: string;
  tag: string;
}

const KNOWN_ANSWERS: KnownAnswer[] = [
  {
    name: "XChaCha20-Poly1305: draft-irtf-cfrg-xchacha-03, appendix A.3.1",
    cipher: XCHACHA20_POLY1305,
    plain: new TextEncoder().encode(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the " +
        "future, sunscreen would be it.",
    ),
    key: Uint8Array.from({ length: 32 }, (_, n) => 0x80 + n),
    nonce: hex("404142434445464748494a4b4c4d4e4f5051525354555657"),
    data: hex("50515253c0c1c2c3c4c5c6c7"),
    begin: "bd6d179d3e83d43b9576579493c0e939",
    tag: "c0875924c1c7987947deafd8780acf49",
  },
  {
    name: "AES-256-GCM: the GCM specification, test case 16",
    cipher: AES_256_GCM,
    plain: hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    ),
    key: hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
    nonce: hex("cafebabefacedbaddecaf888"),
    data: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
    begin: "522dc1f099567d07f47f37a32a84427d",
    tag: "76fc6ece0f4e1768cddf8853bb2d551b",
  },
];

for (const { name, cipher, plain, begin, tag, ...input } of KNOWN_ANSWERS) {
  Deno.test(`${name}: encrypts to the known answer and decrypts it`, () => {
    const sealed = cipher.encrypt(plain, input);
    assertEquals(sealed.subarray(0, 16).toHex(), begin);
    assertEquals(sealed.subarray(-16).toHex(), tag);
    assertEquals(cipher.decrypt(sealed, input), new Uint8Array(plain));
  });

  Deno.test(`${name}: other data, nonce or tag does not decrypt`, () => {
    const sealed = cipher.encrypt(plain, input);
    const nonce = input.nonce.map((byte) => byte ^ 1);
    const forged = sealed.map((byte, n) => n === sealed.length - 1 ? byte ^ 1 : byte);
    assertThrows(() => cipher.decrypt(sealed, { ...input, data: hex("00") }));
    assertThrows(() => cipher.decrypt(sealed, { ...input, nonce }));
    assertThrows(() => cipher.decrypt(forged, input));
  });
}
