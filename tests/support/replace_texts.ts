import { germanTexts } from "@/lib/dashboard/texts/request_language.ts";
import { setTextSource, type TextSource } from "@/lib/dashboard/texts/translate.ts";

/** Pages have these texts until the result is disposed: other test files share the module. */
export function replaceTexts(source: TextSource): Disposable {
  setTextSource(source);
  return { [Symbol.dispose]: () => setTextSource(germanTexts) };
}
