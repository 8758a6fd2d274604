/**
 * Model families that read images, by the names that their providers use. The bundled table of prices does
 * not know this, so the guess only fills in a form.
 */
const VISION_NAMES =
  /gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|chatgpt|\bo[134](?:$|-(?!mini-\d{4}|preview))|claude-(?:3|opus|sonnet|haiku|[4-9])|gemini|gemma-?3|pixtral|mistral-(?:small|medium)|qwen[\d.]*-?vl|-vl\b|llava|llama-(?:3\.2-(?:11|90)b|4)|vision|grok-(?:2-vision|4)|kimi-k2\.5|nova-(?:lite|pro)/i;
/** Members of those families that read only text. */
const TEXT_NAMES = /o1-mini|o3-mini|claude-3-5-haiku|gpt-4o-(?:audio|realtime|search)|embed/i;

/** True if a model of this name probably reads images. */
export function guessVision(model: string): boolean {
  return VISION_NAMES.test(model) && !TEXT_NAMES.test(model);
}
