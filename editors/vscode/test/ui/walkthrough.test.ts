// The walkthrough as a person meets it: from the palette, with a step for each thing that they need first.

import { scene } from './stage.ts';

const STEPS = ['Find the server', 'Choose a model', 'Prompt', 'Review and answer'];

scene('the walkthrough has a step for each thing that is needed first', {}, [], async (window) => {
  await window.serverRuns();
  await window.command('MewCode: Get Started');
  const page = window.page.locator('.gettingStartedContainer');
  await page.getByText('Get started with MewCode', { exact: true }).first().waitFor();
  for (const step of STEPS) {
    await page.locator('.getting-started-step', { hasText: step }).first().waitFor();
  }
  await window.screenshot('walkthrough');
});
