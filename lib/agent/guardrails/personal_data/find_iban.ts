import { isAsciiAlphanumeric, isAsciiLetter, isDigit } from "../word_boundary.ts";
import type { FoldedText } from "../folded_text.ts";

/** Length of the IBANs of each country: the SWIFT registry, then countries that use them without being in it. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "NO15 BE16 DK18 FO18 FI18 GL18 NL18 FK18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 MN20 " +
    "CH21 HR21 LI21 LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 TL23 " +
    "SO23 OM23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24 TN24 VG24 PT25 ST25 LY25 IS26 TR26 BI27 " +
    "DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HU28 LB28 NI28 PL28 SV28 BR29 " +
    "EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33 " +
    "AO25 CV25 MZ25 DZ26 IR26 CM27 CF27 TD27 KM27 CG27 GQ27 GA27 MG27 BJ28 BF28 HN28 CI28 ML28 MA28 NE28 " +
    "SN28 TG28"
  ).toLowerCase().split(" ").map((one) => [one.slice(0, 2), Number(one.slice(2))]),
);

/** The end of an IBAN that starts at `i`, with or without spaces and dashes; -1 if none does. */
export function findIban(text: FoldedText, i: number): number {
  const first = text.at(i);
  if (!isAsciiLetter(first) || isAsciiAlphanumeric(text.before(i))) return -1;
  const second = text.at(i + 1);
  if (!isAsciiLetter(second)) return -1;
  const length = LENGTHS.get(String.fromCharCode(first, second));
  if (length === undefined) return -1;
  let iban = "";
  let j = i;
  while (iban.length < length) {
    const code = text.at(j);
    if (isAsciiAlphanumeric(code)) {
      if ((iban.length === 2 || iban.length === 3) && !isDigit(code)) return -1;
      iban += String.fromCharCode(code);
    } else if (iban.length < 3 || !isSeparator(code) || isSeparator(text.before(j))) {
      return -1;
    }
    j++;
  }
  return !isAsciiAlphanumeric(text.at(j)) && hasIbanChecksum(iban) ? j : -1;
}

function isSeparator(code: number): boolean {
  return code === 32 || code === 45;
}

/** ISO 13616: the number without its first four characters, then those, is 1 modulo 97. */
export function hasIbanChecksum(iban: string): boolean {
  let remainder = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
