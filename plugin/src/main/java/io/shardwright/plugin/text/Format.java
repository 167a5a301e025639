package io.shardwright.plugin.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.client.utils.Serialization;

/** The forms for programs; their names are those of {@code -o}. */
public enum Format {
    JSON {
        @Override
        public String of(View view) {
            try {
                return Serialization.jsonMapper()
                                .writerWithDefaultPrettyPrinter()
                                .writeValueAsString(view) + "\n";
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a view that is no JSON: " + view, e);
            }
        }
    },
    YAML {
        @Override
        public String of(View view) {
            return Serialization.asYaml(view);
        }
    };

    public abstract String of(View view);
}
