export const PASSAGES_PER_PAGE = 25;

/** The address of a passage on the page of its document. */
export function passagePath(
  base: string,
  { documentId, position }: { documentId: string; position: number },
): string {
  const from = position - position % PASSAGES_PER_PAGE;
  const query = from === 0 ? "" : `?from=${from}`;
  return `/knowledge/${base}/documents/${documentId}${query}#${passageAnchor(position)}`;
}

export function passageAnchor(position: number): string {
  return `passage-${position + 1}`;
}
