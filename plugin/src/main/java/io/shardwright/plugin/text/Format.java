package io.shardwright.plugin.text;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;

/** The forms for programs; their names are those of {@code -o}. */
public enum Format {
    JSON {
        @Override
        public String of(View view) {
            return Serialization.unmarshal(Serialization.asJson(view), ObjectNode.class)
                            .toPrettyString() + "\n";
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
