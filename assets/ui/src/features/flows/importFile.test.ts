import { describe, expect, it } from 'vitest';
import { readImportFile } from './importFile';
import { t } from './words';

describe('a file to import', () => {
  it('is sent as JSON, or as its text when it is YAML', () => {
    expect(readImportFile('a.json', '{"nodes": []}')).toEqual({ nodes: [] });
    expect(readImportFile('App.YML', 'app: {}')).toEqual({ text: 'app: {}' });
    expect(readImportFile('app.yaml', '{')).toEqual({ text: '{' });
  });

  it('is refused when it is neither', () => {
    expect(() => readImportFile('a.json', 'app: {}')).toThrow(t('flows.problem.not-json'));
    expect(() => readImportFile('a.json', '[]')).toThrow(t('flows.problem.not-object'));
  });
});
