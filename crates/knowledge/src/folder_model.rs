//! Static embedding models in local folders, in the form of model2vec (MA-7).
//!
//! A folder holds `tokenizer.json`, `model.safetensors` with one vector for each token, and
//! `config.json`: the vector of a text is the mean of those of its tokens. It takes no more than the
//! processor and the memory for the file.
//!
//! Decision: the model's id has the digest of its files, so that vectors that were kept for other
//! weights under the same path are never compared with those of these.

use contexture_context::Digest;
use model2vec_rs::model::StaticModel;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The largest file of a model that is read, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// The files, in the order of [`StaticModel::from_bytes`].
const FILES: [&str; 3] = ["tokenizer.json", "model.safetensors", "config.json"];

/// A static embedding model.
#[derive(Debug)]
pub struct FolderModel {
    id: String,
    model: StaticModel,
}

/// The reason why a folder is not a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderModelError {
    /// A file is missing or can't be read.
    #[error("{} can't be read: {source}: a model has the files {}", path.display(), FILES.join(", "))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason that the system gives.
        source: io::Error,
    },
    /// A file is too large.
    #[error("{} has more than {MAX_BYTES} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The files are not those of a model.
    #[error("{} is not a static embedding model: {reason}", folder.display())]
    NotAModel {
        /// The folder.
        folder: PathBuf,
        /// The fault that the library found.
        reason: String,
    },
}

impl FolderModel {
    /// Reads the model of a folder.
    ///
    /// # Errors
    /// [`FolderModelError`] when the folder does not hold a model.
    pub fn open(folder: &Path) -> Result<Self, FolderModelError> {
        let [tokenizer, weights, config] = FILES.map(|name| read(folder.join(name)));
        let (tokenizer, weights, config) = (tokenizer?, weights?, config?);
        let fault =
            |reason: String| FolderModelError::NotAModel { folder: folder.to_owned(), reason };
        let digests =
            [&tokenizer, &weights, &config].map(|file| Digest::of_bytes(file).to_string());
        let model = StaticModel::from_bytes(tokenizer, weights, config, None);
        let model = model.map_err(|error| fault(format!("{error:#}")))?;
        if model.dim() == 0 {
            return Err(fault("its vectors have no numbers".to_owned()));
        }
        let digest = Digest::of_text(&digests.join("\n")).hex();
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        let id = format!("folder:{name}@{}", digest.get(..16).unwrap_or_default());
        Ok(Self { id: crate::said::line(&id), model })
    }

    /// Returns the name of its folder with the beginning of the digest of its files.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns how many numbers a vector has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.model.dim()
    }

    /// Returns the vector of each text; of a long one, of its first 512 tokens.
    #[must_use]
    pub fn embed(&self, texts: &[String]) -> Vec<Vec<f32>> {
        self.model.encode(texts)
    }
}

fn read(path: PathBuf) -> Result<Vec<u8>, FolderModelError> {
    let mut bytes = Vec::new();
    let file = File::open(&path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match file {
        Ok(_) if bytes.len() as u64 > MAX_BYTES => Err(FolderModelError::TooLarge { path }),
        Ok(_) => Ok(bytes),
        Err(source) => Err(FolderModelError::Unreadable { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "unk_token": "[UNK]",
            "vocab": {"[UNK]": 0, "refund": 1, "repaid": 2, "price": 3, "价格": 4}}}"#;

    /// A file of one tensor of five vectors.
    fn weights(vectors: [[f32; 2]; 5]) -> Vec<u8> {
        let numbers: Vec<u8> = vectors.iter().flatten().flat_map(|one| one.to_le_bytes()).collect();
        let header = format!(
            r#"{{"embeddings":{{"dtype":"F32","shape":[5,2],"data_offsets":[0,{}]}}}}"#,
            numbers.len()
        );
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), &numbers].concat()
    }

    fn write(folder: &Path, vectors: [[f32; 2]; 5]) {
        fs::write(folder.join("tokenizer.json"), TOKENIZER).unwrap();
        fs::write(folder.join("model.safetensors"), weights(vectors)).unwrap();
        fs::write(folder.join("config.json"), r#"{"normalize": true}"#).unwrap();
    }

    const VECTORS: [[f32; 2]; 5] = [[0.0, 0.0], [3.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 5.0]];

    #[test]
    fn ma_7_folder_of_model_gives_mean_of_tokens_with_digest_in_id() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), VECTORS);
        let model = FolderModel::open(folder.path()).unwrap();
        assert_eq!(model.dimension(), 2);
        let texts = ["Refund", "repaid repaid", "price 价格", ""].map(str::to_owned);
        let vectors = model.embed(&texts);
        assert_eq!(vectors[..3], [vec![1.0, 0.0], vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert!(vectors[3].iter().all(|number| number.is_finite()), "{vectors:?}");
        assert_eq!(FolderModel::open(folder.path()).unwrap().id(), model.id());
        write(folder.path(), [[1.0, 0.0]; 5]);
        assert_ne!(FolderModel::open(folder.path()).unwrap().id(), model.id());
    }

    #[test]
    fn ma_7_folder_without_model_is_refused_with_file_and_reason() {
        let folder = tempfile::tempdir().unwrap();
        let told = |folder: &Path| FolderModel::open(folder).unwrap_err().to_string();
        let error = told(folder.path());
        assert!(error.contains("tokenizer.json can't be read"), "{error}");
        assert!(error.contains("tokenizer.json, model.safetensors, config.json"), "{error}");
        write(folder.path(), VECTORS);
        for (file, content) in
            [("config.json", "{"), ("model.safetensors", "weights"), ("tokenizer.json", "[]")]
        {
            write(folder.path(), VECTORS);
            fs::write(folder.path().join(file), content).unwrap();
            let error = told(folder.path());
            assert!(error.contains("is not a static embedding model"), "{file}: {error}");
        }
    }
}
