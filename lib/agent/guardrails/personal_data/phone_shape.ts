/** A number as it is written: its groups of digits, and what stands before each of them. */
export interface PhoneShape {
  plus: boolean;
  groups: string[];
  separators: string[];
}

/** ITU-T E.164, with the prefix `00`. */
export const MAX_PHONE_DIGITS = 17;
const MAX_INTERNATIONAL = 15;
const MIN_INTERNATIONAL = 8;
/** Without a separator, a shorter number with two zeros may be any id, or the EAN of a product. */
const MIN_UNSEPARATED = 12;

/** The country codes of ITU-T E.164. */
const COUNTRY_CODE =
  /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-69]\d|3[578]\d|42\d|5[09]\d|6[789]\d|8[05789]\d|9[679]\d)/;
/** Dates, and the postal codes of the USA with four more digits. */
const FOREIGN_GROUPS = [[2, 2, 4], [2, 2, 2], [5, 4]];

/** True if digits in this form are a phone number rather than a date, an amount or an id. */
export function isPhoneNumber(shape: PhoneShape): boolean {
  const { plus, groups, separators } = shape;
  const written = separators.join("");
  if (count(written, "(") !== count(written, ")")) return false;
  if (plus) return isInternational(groups.join(""));
  if (separators[0] !== "" && separators[0] !== "(") return false;
  if (groups[0]!.startsWith("00")) return isDialled(shape);
  return groups[0]!.startsWith("0") ? isNational(shape) : isNorthAmerican(shape);
}

function isInternational(digits: string): boolean {
  if (digits.length < MIN_INTERNATIONAL || digits.length > MAX_INTERNATIONAL) return false;
  const [code] = COUNTRY_CODE.exec(digits) ?? [];
  if (code === undefined) return false;
  const national = digits.slice(code.length);
  if (code === "1") return /^[2-9]\d{9}$/.test(national);
  return !national.startsWith("00");
}

/** With the international prefix `00`, and the whole country code in its group or the next. */
function isDialled({ groups, separators }: PhoneShape): boolean {
  const [prefix] = groups as [string];
  if (prefix === "00" ? separators[1] !== " " : !COUNTRY_CODE.test(prefix.slice(2))) return false;
  const digits = groups.join("").slice(2);
  return (groups.length > 1 || digits.length >= MIN_UNSEPARATED || /^1[2-9]/.test(digits)) &&
    isInternational(digits);
}

/** True for groups of the same length without a prefix: more of them would be a row of a table. */
export function isLikeTable({ plus, groups, separators }: PhoneShape): boolean {
  return !plus && separators.slice(1).every((one) => one === " ") &&
    groups.every(({ length }) => length === groups[0]!.length);
}

/** A leading zero and groups, as in most of Europe. */
function isNational({ groups, separators }: PhoneShape): boolean {
  const digits = groups.join("");
  if (!/^0[1-9]/.test(digits) || digits.length < 9 || digits.length > 12) return false;
  const lengths = groups.map(({ length }) => length);
  if (groups.length < 2 || lengths[0]! < 2 || lengths[0]! > 6 || lengths.at(-1)! < 2) return false;
  const between = separators.slice(1);
  if (lengths.every((length) => length === 2)) {
    return groups.length === 5 && between.every((one) => one === between[0]);
  }
  if (FOREIGN_GROUPS.some((one) => one.every((length, n) => lengths[n] === length))) return false;
  return between.every((one, n) => !one.includes(".") && (n === 0 || !one.includes("/")));
}

/** `(415) 555-0132`, `415-555-0132`, `415.555.0132`, each also after `1`. */
function isNorthAmerican({ groups, separators }: PhoneShape): boolean {
  const own = groups[0] === "1" ? groups.slice(1) : groups;
  const [area, exchange, line] = own;
  if (own.length !== 3 || line?.length !== 4) return false;
  if (!/^[2-9]\d\d$/.test(area!) || !/^[2-9]\d\d$/.test(exchange!)) return false;
  const [before, afterArea, afterExchange] = separators.slice(-3) as [string, string, string];
  if (before.includes("(")) return /^\) ?$/.test(afterArea) && /^[-. ]$/.test(afterExchange);
  return (afterArea === "-" || afterArea === ".") && afterArea === afterExchange;
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}
