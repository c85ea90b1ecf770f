/** Who can write follow-up prompts or turn speech into text. */
export interface Provider {
  name: string;
  label: string;
  credentials: readonly string[];
  /** Fields beside the credential. */
  fields: readonly ProviderField[];
}

export type ProviderField = 'modelName' | 'model' | 'baseUrl' | 'language' | 'prompt' | 'temperature';

export const followUpProviders: readonly Provider[] = [
  { name: 'chatAnthropic', label: 'Anthropic', credentials: ['anthropicApi'], fields: ['modelName'] },
  { name: 'azureChatOpenAI', label: 'Azure OpenAI', credentials: ['azureOpenAIApi'], fields: ['modelName'] },
  {
    name: 'chatGoogleGenerativeAI',
    label: 'Google Gemini',
    credentials: ['googleGenerativeAI'],
    fields: ['modelName'],
  },
  { name: 'groqChat', label: 'Groq', credentials: ['groqApi'], fields: ['modelName'] },
  { name: 'chatMistralAI', label: 'Mistral AI', credentials: ['mistralAIApi'], fields: ['modelName'] },
  { name: 'ollama', label: 'Ollama', credentials: ['ollamaApi'], fields: ['baseUrl', 'modelName'] },
  { name: 'chatOpenAI', label: 'OpenAI', credentials: ['openAIApi'], fields: ['modelName'] },
].map((one) => ({ ...one, fields: [...(one.fields as ProviderField[]), 'prompt', 'temperature'] }));

export const speechProviders: readonly Provider[] = [
  {
    name: 'openAIWhisper',
    label: 'OpenAI Whisper',
    credentials: ['openAIApi'],
    fields: ['language', 'prompt', 'temperature'],
  },
  {
    name: 'groqWhisper',
    label: 'Groq Whisper',
    credentials: ['groqApi'],
    fields: ['model', 'language', 'temperature'],
  },
  {
    name: 'localAISTT',
    label: 'LocalAI',
    credentials: ['localAIApi'],
    fields: ['baseUrl', 'model', 'language', 'prompt', 'temperature'],
  },
];

/** Kept by Flowise; this one cannot use them. */
export const otherSpeech: Record<string, string> = {
  assemblyAiTranscribe: 'AssemblyAI',
  azureCognitive: 'Azure Cognitive Services',
};
