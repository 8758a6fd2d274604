import { IMAGES, join } from "../make_image.ts";
import type { FuzzBody } from "./fuzz_bodies.ts";
import type { SeededRandom } from "./seeded_random.ts";

const NAMES = ["a.png", "", "../../etc/passwd", 'x".txt', "日本.md", "a\tb.csv", "%22.pdf"];
const TEXTS = [
  "Hello",
  "",
  "\0\x01\x02",
  "%PDF-1.4\n%%EOF",
  "<svg/>",
  "<!doctype html>",
  "PK\x03\x04",
];

/** A form with a file: valid, damaged or hostile, in a form that is sometimes broken itself. */
export function fileBody(dice: SeededRandom): FuzzBody {
  const boundary = dice.pick(["x", "----WebKitFormBoundary7MA4YWxk"]);
  const file = fileBytes(dice);
  const name = new TextEncoder().encode(dice.pick(NAMES));
  const field = dice.chance(0.9) ? "file" : "other";
  const whole = join(
    `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="`,
    name,
    `"\r\nContent-Type: image/png\r\n\r\n`,
    file,
    `\r\n--${boundary}--\r\n`,
  );
  const bytes = dice.chance(0.1) ? whole.slice(0, dice.int(0, whole.length)) : whole;
  const type = dice.chance(0.05)
    ? dice.pick(["multipart/form-data", "image/png", `multipart/form-data; boundary=""`])
    : `multipart/form-data; boundary=${boundary}`;
  return { bytes, type, chunked: dice.chance(0.1) };
}

function fileBytes(dice: SeededRandom): Uint8Array<ArrayBuffer> {
  if (dice.chance(0.15)) return join(dice.pick(TEXTS));
  const make = dice.pick(Object.values(IMAGES));
  const image = make({ width: dice.pick([1, 8, 300]), height: dice.pick([1, 8, 300]) });
  if (dice.chance(0.5)) return image;
  for (let n = dice.int(1, 6); n > 0; n--) image[dice.int(0, image.length - 1)] = dice.int(0, 255);
  return dice.chance(0.3) ? image.slice(0, dice.int(0, image.length)) : image;
}
