import { assertEquals } from "@std/assert";
import { guessVision } from "./guess_vision.ts";

Deno.test("guessVision: knows the families of the providers, and their members for text only", () => {
  const vision = [
    ...["gpt-4o", "gpt-4o-mini", "gpt-4.1-nano", "gpt-5.2", "o3", "o4-mini", "claude-opus-4-1"],
    ...["claude-3-haiku-20240307", "gemini-2.5-flash", "models/gemini-3-pro", "pixtral-12b"],
    ...["qwen2.5-vl-72b-instruct", "meta-llama/llama-3.2-11b-vision-instruct", "llava:13b"],
  ];
  const text = [
    ...["gpt-3.5-turbo", "o3-mini", "o1-mini", "claude-2.1", "claude-3-5-haiku-20241022"],
    ...["deepseek-chat", "llama-3.1-8b", "qwen3-32b", "gpt-oss-120b", "text-embedding-3-small"],
  ];
  assertEquals(vision.filter((model) => !guessVision(model)), []);
  assertEquals(text.filter(guessVision), []);
});
