// @ts-types="./ai_text.d.ts"
export { generateText, streamText } from "ai7";
