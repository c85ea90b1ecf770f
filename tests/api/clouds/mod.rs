//! Cards over services of clouds, whose requests are signed or carry a token that is bought.

mod bedrock;
mod dynamo_db;
mod s3;
mod vertex;
