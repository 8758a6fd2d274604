/** What tests use of the package `ai` to call models. */

interface TextCall {
  model: unknown;
  prompt: string;
}

export function generateText(call: TextCall): Promise<{
  text: string;
  finishReason: string;
  usage: { totalTokens: number };
}>;

export function streamText(call: TextCall): { textStream: AsyncIterable<string> };
