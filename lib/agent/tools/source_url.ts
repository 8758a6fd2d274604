/** The web address of a document whose title is one; `undefined` for any other title. */
export function sourceUrl(title: string): string | undefined {
  return /^https?:\/\//i.test(title) && URL.canParse(title) ? title : undefined;
}
