import { assert, assertEquals, assertThrows } from "@std/assert";
import { IMAGE_TYPES } from "../../schemas/attachment.ts";
import { SeededRandom } from "@/tests/support/fuzz/seeded_random.ts";
import {
  exif,
  IMAGES,
  join,
  makeAnimatedWebp,
  makeGif,
  makeJpeg,
  makePng,
  pngChunk,
  riffFile,
  SECRET_METADATA,
  segment,
  vp8,
  vp8x,
} from "@/tests/support/make_image.ts";
import { ImageError } from "./image_error.ts";
import { rewriteImage, sniffImageType } from "./rewrite_image.ts";

function rewrite(bytes: Uint8Array) {
  const type = sniffImageType(bytes);
  assert(type !== undefined, "the type is known");
  return rewriteImage(bytes, type);
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

const SIZES = {
  "image/png": [4, 3],
  "image/jpeg": [8, 8],
  "image/webp": [5, 4],
  "image/gif": [2, 2],
};

for (const type of IMAGE_TYPES) {
  Deno.test(`rewriteImage: ${type} keeps its size and loses its metadata`, () => {
    const original = IMAGES[type]();
    assert(latin1(original).includes(SECRET_METADATA));
    const { bytes, mediaType, width, height } = rewrite(original);
    assertEquals([mediaType, width, height], [type, ...SIZES[type]]);
    assert(!latin1(bytes).includes("Jane"));
    assert(bytes.length < original.length);
  });

  Deno.test(`rewriteImage: ${type} that was rewritten is rewritten to itself`, () => {
    const { bytes } = rewrite(IMAGES[type]());
    assertEquals(rewrite(bytes).bytes, bytes);
  });

  Deno.test(`rewriteImage: ${type} cut anywhere is rejected`, () => {
    const whole = IMAGES[type]();
    for (let length = 12; length < whole.length; length++) {
      assertThrows(() => rewriteImage(whole.slice(0, length), type), ImageError);
    }
  });

  Deno.test(`rewriteImage: ${type} followed by anything is rejected`, () => {
    for (
      const tail of ["\0", "PK\x03\x04 an archive", "<script>alert(1)</script>", "\xff\xd8\xff"]
    ) {
      assertThrows(() => rewriteImage(join(IMAGES[type](), tail), type), ImageError);
    }
  });

  Deno.test(`rewriteImage: ${type} beyond the size limits is rejected`, () => {
    for (const [width, height] of [[8_001, 1], [1, 8_001], [7_000, 6_000]] as const) {
      assertThrows(() => rewrite(IMAGES[type]({ width, height })), ImageError);
    }
    const { width, height } = rewrite(IMAGES[type]({ width: 8_000, height: 5_000 }));
    assertEquals([width, height], [8_000, 5_000]);
  });

  Deno.test(`rewriteImage: ${type} with random bytes changed is rejected, or becomes a stable image`, () => {
    const dice = new SeededRandom(IMAGE_TYPES.indexOf(type) + 1);
    const whole = IMAGES[type]();
    let accepted = 0;
    for (let n = 0; n < 4_000; n++) {
      const bytes = whole.slice();
      for (let changes = dice.int(1, 4); changes > 0; changes--) {
        bytes[dice.int(12, bytes.length - 1)] = dice.int(0, 255);
      }
      try {
        const image = rewriteImage(bytes, type);
        accepted++;
        assertEquals(rewriteImage(image.bytes, type).bytes, image.bytes);
        assert(image.bytes.length <= bytes.length + 64);
      } catch (error) {
        assert(error instanceof ImageError, String(error));
      }
    }
    if (type !== "image/png") assert(accepted > 0, "some changes do not matter");
  });

  Deno.test(`rewriteImage: ${type} with random tails, inserts and cuts never throws anything else`, () => {
    const dice = new SeededRandom(77);
    const whole = IMAGES[type]();
    for (let n = 0; n < 1_500; n++) {
      const at = dice.int(8, whole.length);
      const noise = Uint8Array.from({ length: dice.int(0, 40) }, () => dice.int(0, 255));
      const bytes = join(whole.slice(0, at), noise, whole.slice(dice.int(8, whole.length)));
      try {
        rewriteImage(bytes, type);
      } catch (error) {
        assert(error instanceof ImageError, String(error));
      }
    }
  });
}

Deno.test("rewriteImage: a PNG with a wrong checksum, a critical unknown chunk or two headers is rejected", () => {
  const damaged = makePng();
  damaged[damaged.length - 20]! ^= 1;
  assertThrows(() => rewrite(damaged), ImageError, "damaged");
  assertThrows(() => rewrite(makePng({ extra: [pngChunk("EVIL", "x")] })), ImageError, "critical");
  const header = pngChunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  assertThrows(() => rewrite(makePng({ extra: [header] })), ImageError, "two headers");
  assertThrows(() => rewrite(makePng({ extra: [pngChunk("IDAT", "<script>")] })), ImageError);
});

Deno.test("rewriteImage: an APNG becomes its first picture", () => {
  const control = pngChunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]);
  const frame = pngChunk("fdAT", [0, 0, 0, 1, 1, 2, 3]);
  assertEquals(rewrite(makePng({ extra: [control, frame] })).bytes, rewrite(makePng()).bytes);
});

Deno.test("rewriteImage: an animated GIF or WebP becomes its first frame", () => {
  const gif = rewrite(makeGif()).bytes;
  assertEquals(latin1(gif).split("\x2c\0\0\0\0").length, 2);
  const webp = rewrite(makeAnimatedWebp());
  assertEquals([webp.width, webp.height], [5, 4]);
  assert(!/ANIM|ANMF|VP8X/.test(latin1(webp.bytes)));
});

Deno.test("rewriteImage: a JPEG keeps how it is turned, and its color transform", () => {
  const { bytes } = rewrite(makeJpeg({ extra: [exif(6)] }));
  assertEquals(latin1(bytes).split("Exif").length, 2);
  assert(!latin1(bytes).includes("Jane"));
  assertEquals(rewrite(bytes).bytes, bytes);
  assertEquals(rewrite(makeJpeg({ extra: [exif(1)] })).bytes, rewrite(makeJpeg()).bytes);
  assertEquals(rewrite(makeJpeg({ extra: [exif(99)] })).bytes, rewrite(makeJpeg()).bytes);
  const adobe = segment(0xee, join("Adobe", [0, 100, 1, 2, 3, 4, 1]));
  assert(latin1(rewrite(makeJpeg({ extra: [adobe] })).bytes).includes("Adobe\0d\0\0\0\0\x01"));
});

Deno.test("rewriteImage: images that a JPEG announces after itself are dropped; others are rejected", () => {
  const announced = makeJpeg({ extra: [segment(0xe2, "MPF\0more")] });
  assertEquals(rewrite(join(announced, makeJpeg())).bytes, rewrite(makeJpeg()).bytes);
  assertThrows(() => rewrite(join(announced, "<html>")), ImageError);
});

Deno.test("rewriteImage: a WebP whose parts disagree about its size, or are repeated, is rejected", () => {
  assertThrows(() => rewrite(riffFile(vp8x(6, 4, 0), vp8(5, 4))), ImageError, "another size");
  assertThrows(() => rewrite(riffFile(vp8(5, 4), vp8(5, 4))), ImageError);
  assertThrows(() => rewrite(riffFile(vp8x(5, 4, 0), vp8x(5, 4, 0), vp8(5, 4))), ImageError);
});

Deno.test("rewriteImage: 10 MiB of the worst markers take time in proportion", () => {
  const jpeg = makeJpeg();
  const at = jpeg.length - 2;
  const stuffed = new Uint8Array(10 * 1_048_576);
  for (let n = 0; n < stuffed.length; n += 2) stuffed[n] = 0xff;
  const large = new Uint8Array(jpeg.length + stuffed.length);
  large.set(jpeg.subarray(0, at));
  large.set(stuffed, at);
  large.set(jpeg.subarray(at), at + stuffed.length);
  assertEquals(rewrite(large).width, 8);
});

Deno.test("sniffImageType: only the first bytes count", () => {
  assertEquals(sniffImageType(join("\x89PNG")), undefined);
  assertEquals(sniffImageType(join("<svg xmlns='http://www.w3.org/2000/svg'>")), undefined);
  assertEquals(sniffImageType(new Uint8Array()), undefined);
  assertEquals(sniffImageType(join("RIFF\0\0\0\0WAVE")), undefined);
});
