/** The runs of a pipeline and its files, from the page alone. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Drawing } from './canvases';
import { axe, focused, LOOKS, missing, overflows, serviceForTests, shot } from './harness';

interface Run {
  id: string;
  state: string;
}

describe.skipIf(missing)('the runs of a pipeline', () => {
  const { service, signedIn } = serviceForTests();

  /** A text into the file `parcels.jsonl`; `code` may change it on its way. */
  const make = async (name: string, text: string, code = ''): Promise<string> => {
    const drawing = new Drawing(service);
    await drawing.card('etlStart', { params: [{ name: 'town', value: 'Bern' }] });
    const source = await drawing.card('plainText', { text, metadata: { source: 'parcels.txt' } });
    const file = await drawing.card('etlFile', { fileName: 'parcels.jsonl' });
    let last = source;
    if (code) {
      last = await drawing.card('etlFunction', { javascriptFunction: code });
      drawing.wire(source, last, 'documents');
    }
    drawing.wire(last, file, 'documents');
    const body = { name, type: 'ETL', flowData: drawing.text() };
    return (await service.call<{ id: string }>('POST', '/chatflows', body)).id;
  };
  const runs = async (flow: string): Promise<Run[]> =>
    (await service.call<{ data: Run[] }>('GET', `/etl/${flow}/runs`)).data;
  const start = async (flow: string, body: object = {}): Promise<void> => {
    // The one before may not have let go of the pipeline when its record says that it ended.
    const begun = (): Promise<boolean> =>
      service.call('POST', `/etl/${flow}/runs`, body).then(
        () => true,
        () => false,
      );
    await expect.poll(begun).toBe(true);
    await expect.poll(async () => (await runs(flow))[0]?.state).not.toBe('RUNNING');
  };

  it('are started from their tab, write files that are read and deleted, and show what a dry run would write', async () => {
    const flow = await make('Parcels', 'Parcels for {{ params.town }} leave on Monday.');
    const { page, close } = await signedIn(`/flows/${flow}`);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('This pipeline has not run yet').waitFor();
    await page.getByText('No files yet').waitFor();
    await axe(page);
    await shot(page, 'pipelines-empty');

    expect(await page.getByLabel('town').inputValue()).toBe('Bern');
    await page.getByLabel('town').fill('Thun');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const list = page.getByRole('table', { name: 'Runs' });
    await list.getByText('Finished').waitFor();
    const files = page.getByRole('table', { name: 'Files' });
    const link = files.getByRole('link', { name: 'Download parcels.jsonl' });
    await link.waitFor();
    const [stored] = await service.call<{ bytes: number }[]>('GET', `/etl/${flow}/files`);
    await files.getByText(`${stored?.bytes} B`, { exact: true }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('parcels.jsonl');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { pageContent: string }).pageContent)).toEqual([
      'Parcels for Thun leave on Monday.',
    ]);

    // The file names the run that wrote it.
    await files.getByRole('link', { name: 'Show run' }).click();
    const report = page.getByRole('dialog', { name: /^Run of / });
    await report.getByText('Thun').waitFor();
    await axe(page);
    await shot(page, 'pipelines-run');
    await page.keyboard.press('Escape');
    await report.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('run=');

    await files.getByRole('button', { name: 'Delete parcels.jsonl' }).click();
    const sure = page.getByRole('alertdialog');
    await expect.poll(() => focused(page)).toBe('Cancel');
    await axe(page);
    await sure.getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('No files yet').waitFor();
    expect(await service.call('GET', `/etl/${flow}/files`)).toEqual([]);

    await page.getByRole('button', { name: 'Dry run' }).click();
    await report.getByText('Parcels for Thun leave on Monday.').waitFor();
    await report.getByText('parcels.txt').first().waitFor();
    await axe(page);
    await shot(page, 'pipelines-dry');
    expect(await service.call('GET', `/etl/${flow}/files`)).toEqual([]);
    await close();
  });

  it('are followed while they go on, stopped after a question, and say why they failed', async () => {
    const slow = 'const end = Date.now() + 8000; while (Date.now() < end) {} return $pageContent;';
    const flow = await make('Slow', 'Parcels leave.', slow);
    const { page, close } = await signedIn(`/flows/${flow}/runs`, { allowed: [/etl\/.*409/, /etl\/.*400/] });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const under = page.getByRole('region', { name: 'Run under way' });
    await under.getByText(/Reading|Writing/).waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await axe(page);
    await shot(page, 'pipelines-under-way');
    await under.getByRole('button', { name: 'Stop' }).click();
    await axe(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop the run' }).click();
    await under.waitFor({ state: 'detached', timeout: 20_000 });
    await page.getByRole('table', { name: 'Runs' }).getByText('Stopped').waitFor();

    const broken = await make('Broken', 'Parcels leave.', 'throw new Error("No parcels today.")');
    await start(broken);
    await page.goto(`/flows/${broken}/runs`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
    const failures = page.getByRole('region', { name: 'Documents that failed' });
    await failures.getByText(/No parcels today/).waitFor();
    await axe(page);
    await shot(page, 'pipelines-failed');

    // A canvas that cannot run is refused in words.
    const drawing = new Drawing(service);
    await drawing.card('plainText', { text: 'Parcels leave.' });
    const body = { name: 'Half', type: 'ETL', flowData: drawing.text() };
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', body);
    await page.goto(`/flows/${id}/runs`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The run was not started').waitFor();
    await axe(page);
    await close();
  });

  it('belong to pipelines alone', async () => {
    const body = { name: 'Chat', type: 'CHATFLOW', flowData: '{"nodes":[],"edges":[]}' };
    const { id } = await service.call<{ id: string }>('POST', '/chatflows', body);
    const { page, close } = await signedIn(`/flows/${id}/runs`);
    await page.waitForURL(new RegExp(`/flows/${id}$`));
    await page.getByRole('link', { name: 'Versions' }).waitFor();
    expect(await page.getByRole('link', { name: 'Runs', exact: true }).count()).toBe(0);
    await close();
  });

  it('are readable at every width in both themes', async () => {
    const flow = await make('Wide', 'Parcels for {{ params.town }} leave on Monday.');
    for (let at = 0; at < 21; at += 1) await start(flow, { dryRun: at % 3 === 0 });
    const [newest] = await runs(flow);
    for (const look of LOOKS) {
      const { page, close } = await signedIn(`/flows/${flow}/runs`, look);
      await page.getByText('1–20 of 21').waitFor();
      await page.getByRole('table', { name: 'Files' }).waitFor();
      expect(await overflows(page), `${look.width}`).toBe(false);
      await shot(page, `pipelines-${look.width}-${look.scheme}`);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('21–21 of 21').waitFor();
      await page.goto(`/flows/${flow}/runs?run=${newest?.id}`);
      await page.getByRole('dialog').getByText('Bern').first().waitFor();
      await shot(page, `pipelines-run-${look.width}-${look.scheme}`);
      await page.goto(`/flows/${flow}`);
      await page.getByRole('heading', { level: 1, name: 'Wide' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await overflows(page), `${look.width}`).toBe(false);
      await shot(page, `pipelines-canvas-${look.width}-${look.scheme}`);
      await close();
    }
  }, 180_000);
});
