/** The directives of a `robots` meta element, or of the header `X-Robots-Tag`. */
export function readDirectives(content: string): { noindex: boolean; nofollow: boolean } {
  const words = content.toLowerCase().split(/[\s,]+/);
  const all = words.includes("none");
  return {
    noindex: all || words.includes("noindex"),
    nofollow: all || words.includes("nofollow"),
  };
}
