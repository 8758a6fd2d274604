import { Parser } from "htmlparser2";

/** The text and attribute values of a page, decoded; scripts and style sheets are left out. */
export function shownText(html: string): string {
  const shown: string[] = [];
  let hidden = 0;
  const isHidden = (name: string) => name === "script" || name === "style";
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isHidden(name)) hidden++;
      shown.push("\n", ...Object.values(attributes).map((value) => `${value}\n`));
    },
    ontext(text) {
      if (hidden === 0) shown.push(text);
    },
    onclosetag(name) {
      if (isHidden(name)) hidden--;
    },
  });
  parser.end(html);
  return shown.join("");
}
