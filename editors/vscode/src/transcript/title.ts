// The name of a transcript's view: the first words of its first prompt. Pure.

const LONGEST = 30;

export function titleOf(markdown: string): string {
  const prompt = /^## Prompt\n\n> (.*)/m.exec(markdown)?.[1]?.trim() ?? '';
  if (prompt === '') {
    return 'Transcript';
  }
  const characters = Array.from(prompt);
  return `Transcript: ${characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : prompt}`;
}
